/** A package that is published as npm does it, and what else the pages of packages show. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = '@bakery/timer'
const VERSION = '1.0.0'
const MANIFEST = { name: NAME, version: VERSION, description: 'Rings when the bread is done.' }
const README = '# Timer\n\nRings when the bread is done.\n\n```js\nring({ after: 55 })\n```\n'

function packTarball(): Buffer {
  const work = mkdtempSync(join(tmpdir(), 'hearth-package-'))
  try {
    mkdirSync(join(work, 'package'))
    writeFileSync(join(work, 'package/package.json'), JSON.stringify(MANIFEST))
    writeFileSync(join(work, 'package/README.md'), README)
    // The same bytes each time, because pages show their size.
    const dated = ['--mtime=2026-01-01', '--owner=0', '--group=0', '--sort=name']
    const tar = Bun.spawnSync(['tar', '-C', work, ...dated, '-cf', 'package.tar', 'package'], {
      cwd: work,
    })
    if (!tar.success) throw new Error(String(tar.stderr))
    return Buffer.from(Bun.gzipSync(readFileSync(join(work, 'package.tar'))))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Publishes version 1.0.0 of `@bakery/timer`. */
export async function publishPackage(url: string, token: string): Promise<void> {
  const tarball = packTarball()
  const response = await fetch(`${url}/packages/bakery/npm/${NAME.replace('/', '%2f')}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      _id: NAME,
      name: NAME,
      'dist-tags': { latest: VERSION },
      versions: {
        [VERSION]: {
          ...MANIFEST,
          readme: README,
          dist: {
            integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
            shasum: createHash('sha1').update(tarball).digest('hex'),
          },
        },
      },
      _attachments: {
        [`${NAME}-${VERSION}.tgz`]: {
          content_type: 'application/octet-stream',
          data: tarball.toString('base64'),
          length: tarball.length,
        },
      },
    }),
  })
  if (!response.ok)
    throw new Error(`publishing ${NAME}: ${response.status} ${await response.text()}`)
}
