// Writes the C++ source of a packed page: the files that FOLDER/assets.json lists, compressed, as arrays.
// Usage: node embed.mjs FOLDER OUT.cc [NAME]   NAME: of the function, by default packed_page
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, out, name = 'packed_page'] = process.argv.slice(2);
const { build, assets } = JSON.parse(readFileSync(join(folder, 'assets.json'), 'utf8'));
if (!assets.some((asset) => asset.path === '/')) throw new Error('assets.json lists no path /');

const arrays = [];
const rows = [];
assets.forEach((asset, index) => {
  const bytes = readFileSync(join(folder, asset.file));
  const packed = gzipSync(bytes, { level: 9 });
  const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const lines = [];
  for (let i = 0; i < packed.length; i += 32) lines.push([...packed.subarray(i, i + 32)].join(','));
  arrays.push(`constexpr unsigned char kAsset${index}[] = {\n${lines.join(',\n')}};\n`);
  rows.push(`    {${JSON.stringify(asset.path)}, ${JSON.stringify(asset.type)}, "W/\\"${etag}\\"", kAsset${index},` +
            ` ${bytes.length}},\n`);
});

writeFileSync(out, `// Written by server/web/embed.mjs.
#include "server/web/page.h"

namespace statmill {
namespace {

${arrays.join('')}
constexpr Asset kAssets[] = {
${rows.join('')}};

}  // namespace

const Page& ${name}() {
  static constexpr Page kPage{${JSON.stringify(build)}, kAssets, ""};
  return kPage;
}

}  // namespace statmill
`);
