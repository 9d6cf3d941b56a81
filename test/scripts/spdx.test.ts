import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials, type Lock } from '../../scripts/spdx.ts'

const lock = JSON.parse(
  readFileSync(join(import.meta.dir, '../../package-lock.json'), 'utf8'),
) as Lock
const made = {
  created: '2026-01-01T00:00:00Z',
  version: '1.2.3',
  runtimes: ['@oven/bun-linux-x64'],
}

test('the bill names what runs, with digests as SPDX writes them, and nothing that only tests use', () => {
  const text = billOfMaterials(lock, made)
  expect(billOfMaterials(lock, made)).toBe(text)
  const bill = JSON.parse(text) as {
    packages: {
      name: string
      SPDXID: string
      checksums?: { algorithm: string; checksumValue: string }[]
    }[]
    relationships: { relatedSpdxElement: string }[]
  }
  const names = bill.packages.map(({ name }) => name)
  for (const name of ['hearth', 'typebox', 'jose', 'bubblewrap', 'musl'])
    expect(names).toContain(name)
  for (const name of ['typescript', 'playwright-core', 'axe-core'])
    expect(names).not.toContain(name)
  // Of the runtimes those that are in the executables.
  expect(names.filter((name) => name.startsWith('@oven/'))).toEqual(['@oven/bun-linux-x64'])
  expect(new Set(bill.packages.map(({ SPDXID }) => SPDXID)).size).toBe(bill.packages.length)
  for (const { SPDXID } of bill.packages) expect(SPDXID).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/)
  const { checksums = [] } = bill.packages.find(({ name }) => name === 'jose') ?? {}
  expect(checksums[0]).toMatchObject({
    algorithm: 'SHA512',
    checksumValue: expect.stringMatching(/^[0-9a-f]{128}$/),
  })
  expect(bill.relationships.length).toBe(bill.packages.length)
})
