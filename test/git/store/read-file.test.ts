import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mapFile, mapFileOrNull } from '../../../src/git/store/read-file.ts'

const work = mkdtempSync(join(tmpdir(), 'hearth-read-'))
afterAll(() => rmSync(work, { recursive: true }))

/** Files that this process has mapped. */
const isMapped = (path: string): boolean => readFileSync('/proc/self/maps', 'utf8').includes(path)

test.if(process.platform === 'linux')(
  'a large file is mapped and stays as it was when another takes its place',
  () => {
    const large = join(work, 'large')
    const small = join(work, 'small')
    writeFileSync(large, Buffer.alloc(2 << 20, 'a'))
    writeFileSync(small, 'small')
    const bytes = mapFile(large)
    expect(Buffer.from(mapFileOrNull(small) ?? []).toString()).toBe('small')
    expect(isMapped(large)).toBe(true)
    expect(isMapped(small)).toBe(false)
    writeFileSync(`${large}.new`, Buffer.alloc(2 << 20, 'b'))
    renameSync(`${large}.new`, large)
    expect(Buffer.from(bytes).equals(Buffer.alloc(2 << 20, 'a'))).toBe(true)
    rmSync(large)
    expect(mapFileOrNull(large)).toBeNull()
    expect(() => mapFile(large)).toThrow('ENOENT')
  },
)
