// Packs the page: src/main.js and src/style/main.css with all that they import become a few files below
// OUT/a/BUILD, and index.html gets their addresses. BUILD is one hash of the whole set, so a browser never mixes
// files of two builds.
//
// Usage: node web/pack.mjs OUT [--node-modules DIR]
// Writes OUT/index.html, OUT/a/BUILD/*, and OUT/assets.json, which lists the path, type and size of each file.
// Prints the sizes, and fails if all files together exceed the budget.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const kBudgetBytes = 150 * 1024; // gzip -9, all files together
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

/** Runs esbuild; returns the contents of each file by its name, and the files that main.js needs at once. */
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
    plugins: [flat],
    conditions: ['production'],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const files = new Map();
  for (const file of result.outputFiles) files.set(basename(file.path), Buffer.from(file.contents));
  const main = result.metafile.outputs['out/main.js'];
  const needed = main.imports.filter((one) => one.kind === 'import-statement').map((one) => basename(one.path));
  return { files, needed };
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
  const { files, needed } = await bundle(modules);
  files.set('icon.svg', readFileSync(join(web, 'src/icon.svg')));
  const shell = readFileSync(join(web, 'index.html'), 'utf8');

  const hash = createHash('sha256');
  hash.update(shell);
  for (const name of [...files.keys()].sort()) hash.update(name).update('\0').update(files.get(name));
  const build = hash.digest('hex').slice(0, 12);

  const html = shell
    .replace('<script', `${needed.map((name) => `<link rel="modulepreload" href="/a/${build}/${name}">`).join('')}<script`)
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
  let total = 0;
  for (const { path, file, contents } of assets) {
    writeFileSync(join(out, file), contents);
    const packed = gzipSync(contents, { level: 9 }).length;
    total += packed;
    list.push({ path, file, type: kTypes[extension(file)], bytes: contents.length, gzip: packed });
    process.stdout.write(`${String(packed).padStart(7)}  ${file}\n`);
  }
  writeFileSync(join(out, 'assets.json'), `${JSON.stringify({ build, assets: list }, null, 1)}\n`);
  writeFileSync(join(out, 'LICENSES'), licenses(modules));
  process.stdout.write(`${String(total).padStart(7)}  bytes gzip, of at most ${kBudgetBytes}\n`);
  if (total > kBudgetBytes) throw new Error('the page exceeds its budget');
}

main().catch((error) => {
  process.stderr.write(`pack: ${error.message}\n`);
  process.exitCode = 1;
});
