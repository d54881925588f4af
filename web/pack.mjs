// Packs the page: src/main.js and src/style/main.css with all that they import become a few files below
// OUT/a/BUILD, and index.html gets their addresses. BUILD is one hash of the whole set, so a browser never mixes
// files of two builds.
//
// Usage: node web/pack.mjs OUT [--node-modules DIR]
// Writes OUT/index.html, OUT/a/BUILD/*, and OUT/assets.json, which lists the path, type and size of each file.
// Prints the sizes, and fails if a budget is exceeded.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

/** The most bytes after gzip -9: of all files; of what Hosts needs for its picture; of what a screen with panels needs for its own. */
const kBudgets = { page: 150 * 1024, start: 54 * 1024, panels: 117 * 1024 };
const kTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const kTargets = ['firefox115', 'chrome114', 'safari17'];

const web = dirname(fileURLToPath(import.meta.url));

/** @param {string[]} args */
function parse_options(args) {
  let out = '';
  let modules = join(web, 'node_modules');
  for (let i = 0; i < args.length; ++i) {
    if (args[i] === '--node-modules' && i + 1 < args.length) modules = resolve(args[++i]);
    else if (out === '' && !args[i].startsWith('-')) out = resolve(args[i]);
    else throw new Error(`unknown argument ${args[i]}`);
  }
  if (out === '') throw new Error('usage: node web/pack.mjs OUT [--node-modules DIR]');
  return { out, modules };
}

const kBeforeBlocks = /\n(?=<\/?(?:div|section|p|h[1-6]|table|thead|tbody|tr|header|ul|li)\b)/g;

/** Leaves out what means nothing in templates, and esbuild keeps: the indentation of lines, and ends of lines before blocks. */
const flat = {
  name: 'flat',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
      contents: path.startsWith(join(web, 'src')) ? readFileSync(path, 'utf8').replace(/\n[ ]+/g, '\n').replace(kBeforeBlocks, '') : undefined, loader: 'js',
    }));
  },
};

/** Parts that main.js loads later, each with what the page has by then. */
const kParts = { 'src/screens/panels.js': ['../main.js'], 'src/screens/later.js': ['../main.js', './panels.js'] };

/**
 * Tells esbuild what a part finds in the page. Else it would make a file of each set of modules that start and parts have in common,
 * and small files pack badly.
 */
const parts = {
  name: 'parts',
  setup(build) {
    for (const [file, before] of Object.entries(kParts)) {
      const path = join(web, file);
      build.onLoad({ filter: new RegExp(`[\\\\/]${basename(file).replace('.', '\\.')}$`) }, (given) => given.path !== path ? undefined : {
        contents: `${before.map((one) => `import '${one}';\n`).join('')}${readFileSync(path, 'utf8')}`, loader: 'js',
      });
    }
  },
};

/**
 * Runs esbuild; returns the contents of each file by its name, the files that main.js needs at once, and those that panels need
 * after that.
 */
async function bundle(modules) {
  const require = createRequire(pathToFileURL(join(modules, 'x.js')));
  const esbuild = require(join(modules, 'esbuild'));
  const result = await esbuild.build({
    absWorkingDir: web,
    entryPoints: { main: 'src/main.js', style: 'src/style/main.css' },
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: kTargets,
    minify: true,
    sourcemap: false,
    legalComments: 'none',
    charset: 'utf8',
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    nodePaths: [modules],
    plugins: [parts, flat],
    conditions: ['production'],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const files = new Map();
  for (const file of result.outputFiles) files.set(basename(file.path), Buffer.from(file.contents));
  const outputs = result.metafile.outputs;
  /** A file and all that it imports. @param {string} path @param {Set<string>} found */
  const closure = (path, found = new Set()) => {
    if (found.has(path)) return found;
    found.add(path);
    for (const one of outputs[path].imports) if (one.kind === 'import-statement') closure(one.path, found);
    return found;
  };
  const start = closure('out/main.js');
  const panels = closure(Object.keys(outputs).find((path) => outputs[path].entryPoint === 'src/screens/panels.js'));
  return { files, start: [...start].map((path) => basename(path)), panels: [...panels].filter((path) => !start.has(path)).map((path) => basename(path)) };
}

/** The licenses of what the packed files contain: they must accompany every copy. */
function licenses(modules) {
  const texts = [];
  for (const name of ['lit-html', 'uplot']) {
    texts.push(`${name}\n\n${readFileSync(join(modules, name, 'LICENSE'), 'utf8')}`);
  }
  return texts.join('\n');
}

/** The extension of a name, with its dot. */
function extension(name) {
  return name.slice(name.lastIndexOf('.'));
}

async function main() {
  const { out, modules } = parse_options(process.argv.slice(2));
  const { files, start, panels } = await bundle(modules);
  files.set('icon.svg', readFileSync(join(web, 'src/icon.svg')));
  const shell = readFileSync(join(web, 'index.html'), 'utf8');

  const hash = createHash('sha256');
  hash.update(shell);
  for (const name of [...files.keys()].sort()) hash.update(name).update('\0').update(files.get(name));
  const build = hash.digest('hex').slice(0, 12);

  const links = (rel, names) => names.map((name) => `<link rel="${rel}" href="/a/${build}/${name}">`).join('');
  const html = shell
    .replace('<script', `${links('modulepreload', start.filter((name) => name !== 'main.js'))}${links('panels', panels)}<script`)
    .replaceAll('src/main.js', `/a/${build}/main.js`)
    .replaceAll('src/style/main.css', `/a/${build}/style.css`)
    .replaceAll('src/icon.svg', `/a/${build}/icon.svg`)
    .replace(/<!--[^]*?-->\n?/g, '')
    .replace(/>\s+</g, '><');

  const assets = [{ path: '/', file: 'index.html', contents: Buffer.from(html) }];
  for (const [name, contents] of files) assets.push({ path: `/a/${build}/${name}`, file: `a/${build}/${name}`, contents });

  rmSync(join(out, 'a'), { recursive: true, force: true });
  mkdirSync(join(out, 'a', build), { recursive: true });
  const list = [];
  for (const { path, file, contents } of assets) {
    writeFileSync(join(out, file), contents);
    list.push({ path, file, type: kTypes[extension(file)], bytes: contents.length, gzip: gzipSync(contents, { level: 9 }).length });
  }
  writeFileSync(join(out, 'assets.json'), `${JSON.stringify({ build, assets: list }, null, 1)}\n`);
  writeFileSync(join(out, 'LICENSES'), licenses(modules));

  const first = ['index.html', 'style.css', 'icon.svg', ...start];
  report(list, { page: list.map((one) => basename(one.file)), start: first, panels: [...first, ...panels] });
}

/** Prints the sizes, and fails if a sum exceeds its budget. */
function report(list, sums) {
  const say = (bytes, text) => process.stdout.write(`${String(bytes).padStart(7)}  ${text}\n`);
  for (const { file, gzip } of list) say(gzip, file);
  const above = [];
  for (const [name, files] of Object.entries(sums)) {
    const bytes = list.filter((one) => files.includes(basename(one.file))).reduce((sum, one) => sum + one.gzip, 0);
    say(bytes, `bytes gzip: ${name}, of at most ${kBudgets[name]}`);
    if (bytes > kBudgets[name]) above.push(name);
  }
  if (above.length > 0) throw new Error(`over the budget: ${above.join(', ')}`);
}

main().catch((error) => {
  process.stderr.write(`pack: ${error.message}\n`);
  process.exitCode = 1;
});
