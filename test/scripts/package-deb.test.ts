import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageDeb } from '../../scripts/package-deb.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-package-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.if(Bun.which('dpkg-deb') !== null)(
  'a package holds the executable, its units and settings, and is the same each time',
  async () => {
    const binary = join(folder, 'hearth')
    writeFileSync(binary, '#!/bin/sh\necho hearth\n')
    const made = { binary, arch: 'amd64', epoch: 1_700_000_000 }
    const first = packageDeb({ ...made, out: join(folder, 'a') })
    await Bun.sleep(1100)
    const second = packageDeb({ ...made, out: join(folder, 'b') })
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true)
    const tree = join(folder, 'tree')
    execFileSync('dpkg-deb', ['-x', first, tree])
    expect(execFileSync(join(tree, 'usr/bin/hearth'), { encoding: 'utf8' })).toBe('hearth\n')
    expect(statSync(join(tree, 'etc/hearth/hearth.toml')).mode & 0o777).toBe(0o640)
    const unit = readFileSync(join(tree, 'usr/lib/systemd/system/hearth.service'), 'utf8')
    expect(unit).toContain(
      'ExecStart=/usr/bin/hearth serve --data /var/lib/hearth --config /etc/hearth/hearth.toml',
    )
    const fields = execFileSync('dpkg-deb', ['-f', first], { encoding: 'utf8' })
    expect(fields).toContain('Package: hearth')
    expect(execFileSync('dpkg-deb', ['-c', first], { encoding: 'utf8' })).not.toMatch(
      /^\S+ (?!root\/root)/m,
    )
  },
)
