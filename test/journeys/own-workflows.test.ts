/**
 * The repository's own workflows on a Hearth that hosts it, with real git and a browser. The
 * repository is a small one with the same workflow files, whose npm scripts are quick.
 */
import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, claim, git, startForge, visitor, withToken } from './forge.ts'

const root = join(import.meta.dir, '..', '..')

const SCRIPTS = {
  check: 'node check.js',
  build: 'mkdir -p dist && cp hearth.sh dist/hearth && chmod +x dist/hearth',
  release:
    'mkdir -p dist/release && cp hearth.sh dist/release/hearth && cd dist/release && sha256sum hearth > SHA256SUMS',
}
const PACKAGE = { name: 'hearth', version: '0.1.0', private: true, scripts: SCRIPTS }
const LOCK = {
  name: 'hearth',
  version: '0.1.0',
  lockfileVersion: 3,
  requires: true,
  packages: { '': { name: 'hearth', version: '0.1.0' } },
}
const CHECK = `const { readFileSync } = require('node:fs')
const lines = readFileSync('src.txt', 'utf8').split('\\n')
const at = lines.indexOf('broken') + 1
if (at > 0) {
  console.log('::error file=src.txt,line=' + at + ',title=Wrong word::broken is not allowed')
  process.exit(1)
}
`

test('a change fails with its error below the line, a fix passes, and a tag becomes a draft release', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-own-'))
  writeFileSync(join(directory, 'hearth.toml'), '[jobs]\nnetwork = "machine"\n')
  const forge = await startForge({ directory, args: ['--config', 'hearth.toml'] })
  const { page, problems } = await visitor()
  const token = await claim(page, forge)
  const ask = api(forge, token)
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'hearth', private: false })
  const variable = { setting: 'PUBLISH_RELEASES', value: 'yes' }
  expect((await ask('POST', '/v1/repos/ada/hearth/actions/variables', variable)).status).toBe(200)

  const work = mkdtempSync(join(tmpdir(), 'hearth-own-work-'))
  const remote = `${withToken(forge.url, token)}/ada/hearth.git`
  await git(work, 'init', '-q', '-b', 'main')
  cpSync(join(root, '.hearth'), join(work, '.hearth'), { recursive: true })
  mkdirSync(join(work, 'scripts', 'release'), { recursive: true })
  cpSync(join(root, 'scripts/release/draft.mjs'), join(work, 'scripts/release/draft.mjs'))
  for (const [name, text] of Object.entries({
    'package.json': JSON.stringify(PACKAGE, null, 2),
    'package-lock.json': JSON.stringify(LOCK),
    'check.js': CHECK,
    'hearth.sh': '#!/bin/sh\necho hearth 0.1.0\n',
    'src.txt': 'one\ntwo\nthree\n',
  }))
    writeFileSync(join(work, name), text)
  await git(work, 'add', '.')
  await git(work, 'commit', '-qm', 'Begin')
  await git(work, 'push', '-q', remote, 'main')

  await page.goto(`${forge.url}/ada/hearth/runs`)
  await page.getByTitle('Succeeded').first().waitFor()
  await page.getByRole('link', { name: 'Begin' }).first().click()
  await page.getByText('Summary of Executable').waitFor()
  await page.getByText('hearth 0.1.0').waitFor()

  await git(work, 'switch', '-qc', 'change')
  writeFileSync(join(work, 'src.txt'), 'one\nbroken\nthree\n')
  await git(work, 'commit', '-qam', 'Change a word')
  await git(work, 'push', '-q', remote, 'change')
  const made = await ask('POST', '/v1/repos/ada/hearth/pulls', { branch: 'change', title: 'Word' })
  const { number } = (made.body as { pull: { number: number } }).pull
  const pull = `${forge.url}/ada/hearth/pull/${number}`
  await page.goto(`${forge.url}/ada/hearth/runs`)
  await page.getByTitle('Failed').first().waitFor()
  await page.goto(`${pull}/changes`)
  const annotation = page.locator('.thread-row .line-annotation')
  expect(await annotation.textContent()).toContain('broken is not allowed')
  await annotation.getByRole('link').click()
  await page.getByText('Wrong word').waitFor()
  // A job makes the notification after the run has failed.
  const notifications = async () => (await ask('GET', '/v1/notifications')).body as unknown[]
  while ((await notifications()).length === 0) await Bun.sleep(50)
  await page.goto(`${forge.url}/notifications`)
  await page.getByText('broken is not allowed').waitFor()

  writeFileSync(join(work, 'src.txt'), 'one\ntwo and a half\nthree\n')
  await git(work, 'commit', '-qam', 'Choose another word')
  await git(work, 'push', '-q', remote, 'change')
  await page.goto(pull)
  // While it runs the check is listed a second time, above the button to merge.
  const checks = page.getByRole('complementary', { name: 'Details' }).getByRole('listitem')
  const executable = checks.filter({ hasText: 'Test / Executable' })
  await executable.getByRole('img', { name: 'Succeeded' }).waitFor()
  await page.goto(`${pull}/changes`)
  expect(await annotation.count()).toBe(0)

  await git(work, 'switch', '-q', 'main')
  await git(work, 'tag', 'v0.1.0')
  await git(work, 'push', '-q', remote, 'v0.1.0')
  const drafts = async () => {
    const { body } = await ask('GET', '/v1/repos/ada/hearth/releases')
    return body as { tag_name: string; draft: boolean; assets: { name: string }[] }[]
  }
  await page.goto(`${forge.url}/ada/hearth/runs`)
  await page.locator('.row:has-text("Release #1"):has([title=Succeeded])').waitFor()
  const [release] = await drafts()
  expect([release?.tag_name, release?.draft]).toEqual(['v0.1.0', true])
  expect(release?.assets.map(({ name }) => name).toSorted()).toEqual(['SHA256SUMS', 'hearth'])
  expect(problems).toEqual([])
  expect(await forge.stop()).toBe(0)
  rmSync(work, { recursive: true, force: true })
  forge.remove()
}, 180_000)
