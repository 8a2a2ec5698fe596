// A registry that has this repository's packages as their tarballs, and sends npm to the configured one for everything else.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * @param {readonly import('../pack.mjs').Packed[]} packages
 * @param {string} upstream
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(packages, upstream) {
  let url = '';
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const packed = packages.find(({ manifest }) => path.replace(/^tarball\//, '') === manifest.name);
    if (packed === undefined) return void response.writeHead(307, { location: `${upstream}${path}` }).end();
    const tarball = readFileSync(packed.tarball);
    if (path.startsWith('tarball/')) return void response.end(tarball);
    const { name, version } = packed.manifest;
    const dist = {
      tarball: `${url}/tarball/${name}`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    };
    const versions = { [version]: { ...packed.manifest, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  return { url, close: () => server.close() };
}
