import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installationKey } from '#lib/installation-key.ts'

const data = mkdtempSync(join(tmpdir(), 'hearth-key-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

test('the key is created once, readable by its owner only', () => {
  const key = installationKey(data)
  expect(key.length).toBe(32)
  expect(installationKey(data)).toEqual(key)
  const path = join(data, 'secrets', 'installation.key')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  expect(readdirSync(join(data, 'secrets'))).toEqual(['installation.key'])
})

test('a damaged key is an error and never replaced', () => {
  const path = join(data, 'secrets', 'installation.key')
  writeFileSync(path, 'short')
  expect(() => installationKey(data)).toThrow('installation.key')
  expect(readFileSync(path, 'utf8')).toBe('short')
})
