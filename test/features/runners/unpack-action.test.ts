/** Archives of actions that are not what they should be. */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackAction } from '#features/runners/actions/unpack-action.ts'

const root = mkdtempSync(join(tmpdir(), 'hearth-action-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** An archive of files that GNU tar writes, by their paths. */
async function archiveOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, `${name}-files`)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const archive = join(root, `${name}.tar.gz`)
  const tar = Bun.spawn(['tar', 'czf', archive, '-C', folder, ...Object.keys(files)])
  expect(await tar.exited).toBe(0)
  return archive
}

function emptyFolder(name: string): string {
  mkdirSync(join(root, name))
  return join(root, name)
}

test('the folder of the repository is cut off', async () => {
  const archive = await archiveOf('sound', { 'greet/action.yml': 'a', 'greet/dist/index.js': 'b' })
  const folder = emptyFolder('sound')
  await unpackAction(archive, folder)
  expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([
    'action.yml',
    'dist',
    'dist/index.js',
  ])
})

test('an archive that is gone or broken is an error of the step', async () => {
  const gone = unpackAction(join(root, 'gone.tar.gz'), emptyFolder('gone'))
  await expect(gone).rejects.toThrow('ENOENT')
  writeFileSync(join(root, 'broken.tar.gz'), 'no archive')
  const broken = unpackAction(join(root, 'broken.tar.gz'), emptyFolder('broken'))
  await expect(broken).rejects.toThrow('header')
  const outside = unpackAction(await archiveOf('outside', { file: 'x' }), emptyFolder('outside'))
  await expect(outside).rejects.toThrow('outside of a folder')
})
