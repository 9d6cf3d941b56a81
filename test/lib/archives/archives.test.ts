/** Archives of artifacts, against `tar`, `zip` and `unzip` of the machine, and hostile ones. */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTar, writeTar } from '#lib/archives/tar.ts'
import { readZip } from '#lib/archives/zip-reader.ts'
import { writeZip } from '#lib/archives/zip-writer.ts'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'hearth-archives-'))

function run(command: readonly string[], cwd: string): Buffer {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd })
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr.toString()}`)
  return Buffer.from(stdout)
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

/** In pieces of an odd length, so that no border of the format is one of a piece. */
async function* pieces(bytes: Buffer, length = 777): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function* files(entries: Readonly<Record<string, Uint8Array>>): AsyncGenerator<ArchivedFile> {
  for (const [path, data] of Object.entries(entries))
    yield {
      path,
      isExecutable: path.endsWith('.sh'),
      size: data.length,
      data: pieces(Buffer.from(data)),
    }
}

const LONG = `${'folder-with-a-long-name/'.repeat(8)}file.txt`
const ENTRIES: Readonly<Record<string, Uint8Array>> = {
  empty: Buffer.alloc(0),
  'run.sh': Buffer.from('#!/bin/sh\n'),
  [LONG]: Buffer.from('long'),
  'ünï/ö.txt': Buffer.from('text '.repeat(1_000)),
  'noise.bin': crypto.getRandomValues(new Uint8Array(60_000)),
  'large.txt': Buffer.from('many lines\n'.repeat(300_000)),
}

test('tar reads what we write, and we read what tar writes', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'a.tar'), await bytesOf(writeTar(files(ENTRIES))))
  mkdirSync(join(folder, 'out'))
  run(['tar', '-xf', '../a.tar'], join(folder, 'out'))
  for (const [path, data] of Object.entries(ENTRIES))
    expect(readFileSync(join(folder, 'out', path)).equals(Buffer.from(data))).toBe(true)
  expect(statSync(join(folder, 'out', 'run.sh')).mode & 0o111).not.toBe(0)
  const list = Object.keys(ENTRIES)
  const tar = run(['tar', '--format=gnu', '-cf', '-', ...list], join(folder, 'out'))
  const seen: Record<string, Buffer> = {}
  for await (const { path, data, isExecutable } of readTar(pieces(tar))) {
    seen[path] = await bytesOf(data)
    expect(isExecutable).toBe(path.endsWith('.sh'))
  }
  expect(Object.keys(seen)).toEqual(list)
  for (const [path, data] of Object.entries(ENTRIES))
    expect(seen[path]?.equals(Buffer.from(data))).toBe(true)
})

const HAS_ZIP = Bun.which('zip') !== null && Bun.which('unzip') !== null

test.skipIf(!HAS_ZIP)(
  'unzip reads what we write at every level, and we read it and what zip writes',
  async () => {
    const folder = newFolder()
    for (const level of [0, 6]) {
      const archive = join(folder, `${level}.zip`)
      writeFileSync(archive, await bytesOf(writeZip(files(ENTRIES), level)))
      expect(run(['unzip', '-tq', archive], folder).toString()).toContain('No errors detected')
      const seen: string[] = []
      for await (const { path, data, isExecutable } of readZip(archive, 100_000_000)) {
        seen.push(path)
        expect((await bytesOf(data)).equals(Buffer.from(ENTRIES[path] ?? []))).toBe(true)
        expect(isExecutable).toBe(path.endsWith('.sh'))
      }
      expect(seen).toEqual(Object.keys(ENTRIES))
    }
    const source = join(folder, 'source')
    mkdirSync(join(source, 'sub'), { recursive: true })
    writeFileSync(join(source, 'sub', 'a.txt'), 'of zip')
    run(['zip', '-qr', '../other.zip', '.'], source)
    const found: string[] = []
    for await (const { path, data } of readZip(join(folder, 'other.zip'), 1_000))
      found.push(`${path} ${await bytesOf(data)}`)
    expect(found).toEqual(['sub/a.txt of zip'])
  },
)

/** Reads all of an archive. */
async function readAll(path: string, maxBytes = 1_000_000): Promise<void> {
  for await (const { data } of readZip(path, maxBytes)) await bytesOf(data)
}

test('hostile archives are refused before anything of them is used', async () => {
  const folder = newFolder()
  const zipOf = async (entries: Readonly<Record<string, Uint8Array>>) =>
    bytesOf(writeZip(files(entries), 6))
  const refuses = async (bytes: Buffer, message: string, maxBytes?: number) => {
    const path = join(folder, 'hostile.zip')
    writeFileSync(path, bytes)
    await expect(readAll(path, maxBytes)).rejects.toThrow(message)
  }
  const plain = await zipOf({ 'aa/bb.txt': Buffer.from('x'.repeat(5_000)) })
  const renamed = (name: string): Buffer =>
    Buffer.from(plain.toString('latin1').replaceAll('aa/bb.txt', name), 'latin1')
  await refuses(renamed('../bb.txt'), 'leads out of the archive')
  await refuses(renamed('/a/bb.txt'), 'is no path in an archive')
  await refuses(renamed('aa\\bb.txt'), 'is no path in an archive')
  await refuses(plain.subarray(0, -30), 'no zip file')
  await refuses(Buffer.from('not an archive'), 'no zip file')
  await refuses(plain, 'more than the 100 that are allowed', 100)
  const smaller = Buffer.from(plain)
  const central = smaller.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  smaller.writeUInt32LE(10, central + 24)
  await refuses(smaller, 'longer than the archive says')
  const link = Buffer.from(plain)
  link.writeUInt32LE((0o120777 << 16) >>> 0, central + 38)
  await refuses(link, 'which is no file')
  symlinkSync('/etc/passwd', join(folder, 'link'))

  const links = run(['tar', '--format=gnu', '-cf', '-', 'link'], folder)
  const readLinks = async () => {
    for await (const { data } of readTar(pieces(links))) await bytesOf(data)
  }
  await expect(readLinks()).rejects.toThrow('no file')
})
