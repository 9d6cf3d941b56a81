import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeIsolation } from '#runner'
import { findBubblewrap } from '../../src/runner/bubblewrap.ts'
import { makeJobs } from './jobs.ts'

const forge = await makeJobs({ bubblewrap: 'bundled' })
const unpacked = (): string[] => readdirSync(forge.data).filter((name) => name.startsWith('bwrap-'))
const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

test('the bundled one runs commands where the system has none', async () => {
  expect(forge.isolation).toMatchObject({ kind: 'bubblewrap', origin: 'bundled' })
  expect(describeIsolation(forge.isolation)).toContain('of this executable')
  const { exit_code, text } = await forge.run('id -u; ls /; touch /x 2>/dev/null || echo refused')
  expect(exit_code).toBe(0)
  expect(text).toStartWith('1000\n')
  expect(text).toEndWith('refused\n')
  // Nothing of where it is mounted to be executed.
  expect(text).not.toContain('media')
})

test('steps of a job share a sandbox of the bundled one, and cannot change its program', async () => {
  const [name = ''] = unpacked()
  const program = join(forge.data, name, 'bwrap')
  const before = sha256(program)
  const { step, close } = await forge.begin()
  // The step ends only when the program itself runs: until then its process has the shell's name.
  await step(`echo one >file; sleep 4819 & until ps -eo args | grep -q '[s]leep 4819'; do :; done`)
  const { text } = await step(
    `cat file; ps -eo args | grep -c '[s]leep 4819'
    { chmod 777 /proc/1/exe; echo x >>/proc/1/exe; } 2>/dev/null && echo changed
    exec 9<>/proc/1/exe; echo never`,
  )
  expect(text).toMatch(/^one\n1\n[^\n]*(Permission denied|Read-only file system|Text file busy)\n$/)
  expect(await close()).toBe(true)
  expect(sha256(program)).toBe(before)
})

test('it is unpacked once, under its digest, and anew when it was damaged', async () => {
  const [name = '', ...others] = unpacked()
  expect(others).toEqual([])
  const program = join(forge.data, name, 'bwrap')
  expect(name).toBe(`bwrap-${sha256(program)}`)
  const { ino } = statSync(program)
  const found = { version: '0.11.0', folder: join(forge.data, name) }
  expect(await findBubblewrap(forge.data, 'bundled')).toEqual(found)
  expect(statSync(program).ino).toBe(ino)
  writeFileSync(program, 'damaged')
  expect(await findBubblewrap(forge.data, 'bundled')).toEqual(found)
  expect(name).toBe(`bwrap-${sha256(program)}`)
  expect(unpacked()).toEqual([name])
})

test('several processes that unpack it at once all find it whole', async () => {
  const parent = join(forge.data, 'many')
  const found = await Promise.all(
    Array.from({ length: 8 }, () => findBubblewrap(parent, 'bundled')),
  )
  expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(readdirSync(parent)).toHaveLength(1)
})

test('that of the system is preferred, because profiles of AppArmor go by path', async () => {
  expect(await findBubblewrap(forge.data, 'any')).toMatchObject({ folder: null })
})
