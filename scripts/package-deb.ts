/**
 * Makes a Debian package of `dist/hearth`: `bun scripts/package-deb.ts [--binary FILE] [--arch
 * amd64] [--out DIR]`. The same executable gives the same bytes: every time in it is that of
 * SOURCE_DATE_EPOCH, or of the last commit.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { sandboxSources } from './release/sandbox-sources.ts'
import { runScript, type Option } from './support/options.ts'

const root = join(import.meta.dir, '..')

const CONFIG = `# Settings of Hearth; the README has all of them. What is changed here takes effect with: systemctl restart hearth
# site_url = "https://git.example.com"
listen = "127.0.0.1:3000"
`

const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd hearth >/dev/null; then
    useradd --system --user-group --home-dir /var/lib/hearth --no-create-home --shell /usr/sbin/nologin hearth
  fi
  install -d -o hearth -g hearth -m 0700 /var/lib/hearth
  chown root:hearth /etc/hearth/hearth.toml
  chmod 0640 /etc/hearth/hearth.toml
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -n "$2" ]; then systemctl try-restart hearth.service
    else systemctl enable --now hearth.service; fi
  fi
fi
`

const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now hearth.service hearth.socket; fi
`

const POSTRM = `#!/bin/sh
set -e
# What people made is not a package's to take away: /var/lib/hearth stays even when it is purged.
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`

export type Deb = {
  readonly binary: string
  readonly arch: string
  readonly out: string
  readonly epoch: number
  readonly version?: string
}

/** Gives the path of the package. Needs `dpkg-deb`. */
export function packageDeb({
  binary,
  arch,
  out,
  epoch,
  version = packageJson.version,
}: Deb): string {
  const tree = mkdtempSync(join(tmpdir(), 'hearth-deb-'))
  try {
    const put = (path: string, text: string | Uint8Array, mode = 0o644) => {
      mkdirSync(join(tree, path, '..'), { recursive: true, mode: 0o755 })
      writeFileSync(join(tree, path), text)
      chmodSync(join(tree, path), mode)
    }
    put('usr/bin/.keep', '')
    rmSync(join(tree, 'usr/bin/.keep'))
    copyFileSync(binary, join(tree, 'usr/bin/hearth'))
    chmodSync(join(tree, 'usr/bin/hearth'), 0o755)
    for (const unit of ['hearth.service', 'hearth.socket'])
      put(`usr/lib/systemd/system/${unit}`, readFileSync(join(root, 'assets', unit), 'utf8'))
    put('etc/hearth/hearth.toml', CONFIG, 0o640)
    put('usr/share/doc/hearth/copyright', readFileSync(join(root, 'LICENSE'), 'utf8'))
    for (const { path, bytes } of sandboxSources(root))
      put(`usr/share/doc/hearth/sandbox/${path}`, bytes)
    put('DEBIAN/conffiles', '/etc/hearth/hearth.toml\n')
    for (const [name, text] of [
      ['postinst', POSTINST],
      ['prerm', PRERM],
      ['postrm', POSTRM],
    ] as const)
      put(`DEBIAN/${name}`, text, 0o755)
    put(
      'DEBIAN/control',
      `Package: hearth
Version: ${version}
Architecture: ${arch}
Maintainer: The Hearth authors <hearth@localhost>
Section: vcs
Priority: optional
Depends: libc6 (>= 2.17), passwd
Recommends: bubblewrap, slirp4netns, iproute2, ca-certificates
Installed-Size: ${Math.ceil(statSync(binary).size / 1024) + 64}
Description: git forge for people and software agents, in one executable
 Hosts repositories with issues, pull requests and reviews. Needs no
 database server and no git on the machine.
`,
    )
    mkdirSync(out, { recursive: true })
    const path = join(out, `hearth_${version}_${arch}.deb`)
    execFileSync('find', [tree, '-exec', 'touch', '-h', '-d', `@${epoch}`, '{}', '+'])
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, path], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return path
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** The moment that everything in a release is from. */
export const releaseEpoch = (): number =>
  Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync('git', ['-C', root, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim(),
  )

const OPTIONS = {
  binary: { kind: 'text', default: join(root, 'dist', 'hearth'), help: 'The executable.' },
  arch: { kind: 'text', default: 'amd64', help: 'The kind of machine, as Debian calls it.' },
  out: { kind: 'text', default: join(root, 'dist'), help: 'Where it is written.' },
} as const satisfies Record<string, Option>

if (import.meta.main) {
  await runScript(
    'bun scripts/package-deb.ts [options]',
    OPTIONS,
    async ({ binary, arch, out }) => {
      process.stdout.write(`${packageDeb({ binary, arch, out, epoch: releaseEpoch() })}\n`)
      return 0
    },
  )
}
