/**
 * The private fork of an advisory with the built executable, the real git and a browser: from the
 * draft to the published advisory, and all or nothing of a merge when the process is killed.
 */
import { expect, test } from 'bun:test'
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, claim, EXECUTABLE, git, startForge, visitor, withToken, type Forge } from './forge.ts'

type Answer = { status: number; body: unknown }
type Fork = { state: string; merged: { sha: string } | null; branches: { name: string }[] }

const bodyOf = <T>({ status, body }: Answer, expected = 200): T => {
  expect([status, body]).toEqual([expected, expect.anything()])
  return body as T
}

/** Repeats a question until its answer is the wanted one. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await Bun.sleep(50)
  }
}

async function setUp() {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-journey-'))
  const args = ['--data', join(directory, 'data')]
  const forge = await startForge({ directory, args })
  const { context, page, problems } = await visitor()
  const token = await claim(page, forge)
  const call = api(forge, token)
  bodyOf(await call('POST', '/v1/workspaces', { slug: 'acme' }))
  bodyOf(await call('POST', '/v1/repos', { workspace: 'acme', name: 'site' }))
  const clone = join(directory, 'clone')
  mkdirSync(clone)
  await git(clone, 'init', '-q', '-b', 'main')
  writeFileSync(join(clone, 'a.txt'), 'one\ntwo\nthree\n')
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-q', '-m', 'Begin')
  await git(clone, 'push', '-q', withToken(`${forge.url}/acme/site.git`, token), 'main')
  return { directory, args, forge, token, context, page, problems, clone }
}

const ADVISORIES = '/v1/repos/acme/site/security/advisories'

async function draft(forge: Forge, token: string): Promise<string> {
  const input = { title: 'Hole', description: 'Deep', severity: 'high' }
  return bodyOf<{ id: string }>(await api(forge, token)('POST', ADVISORIES, input), 201).id
}

const readFork = async (forge: Forge, token: string, id: string): Promise<Fork> =>
  bodyOf<Fork>(await api(forge, token)('GET', `${ADVISORIES}/${id}/fork`))

test('a draft is mended in private and published with its merge', async () => {
  const { directory, forge, token, context, page, problems, clone } = await setUp()
  const id = await draft(forge, token)
  const address = `${forge.url}/acme/site/security/advisories/${id}`
  await page.goto(address)
  await page.click(`form[action$="/fork/open"] button`)
  await page.waitForSelector('text=Private fork opened.')
  await until(
    () => readFork(forge, token, id),
    ({ state }) => state === 'ready',
  )
  await page.goto(address)
  const shown = await page.inputValue('#fork-git')
  expect(shown).toBe(`git clone ${address}.git`)

  const mend = join(directory, 'mend')
  await git(directory, 'clone', '-q', withToken(`${address}.git`, token), mend)
  writeFileSync(join(mend, 'a.txt'), 'one\nsafe\nthree\n')
  await git(mend, 'switch', '-q', '-c', 'fix')
  await git(mend, 'commit', '-q', '-am', 'Close the hole')
  await git(mend, 'push', '-q', 'origin', 'fix')
  await page.goto(address)
  await page.click('a.row-link:has-text("fix")')
  await page.waitForSelector('text=Close the hole')
  expect(await page.textContent('main')).toContain('safe')

  await page.goto(address)
  await page.selectOption('select[name=branch]', 'fix')
  await page.click('form[action$="/fork/merge"] button')
  await page.waitForSelector('text=Branch merged.')
  expect(await page.textContent('main')).toContain('Published')
  await git(clone, 'pull', '-q', withToken(`${forge.url}/acme/site.git`, token), 'main')
  expect(await Bun.file(join(clone, 'a.txt')).text()).toBe('one\nsafe\nthree\n')
  expect(problems).toEqual([])
  await context.close()
  expect(await forge.stop()).toBe(0)
}, 240_000)

/** When the process is killed: by what a merge has written into the store of the repository. */
const MOMENTS = ['asked', 'copying', 'copied', 'answered'] as const
const ENDINGS = { copying: '', copied: '.idx' } as const

/** Resolves when a file whose name ends so appears or changes. */
const eventOf = (files: FSWatcher, ending: string): Promise<void> =>
  new Promise((resolve) => {
    files.on('change', (_, name) => {
      if (String(name).endsWith(ending)) resolve()
    })
  })

test('a kill while a fork is opened or merged leaves all of it or nothing', async () => {
  const { directory, args, token, context, clone, ...first } = await setUp()
  await context.close()
  let { forge } = first
  const restart = async (): Promise<void> => {
    forge.child.kill('SIGKILL')
    await forge.child.exited
    forge = await startForge({ directory, args, setup: false })
  }
  const packs = join(directory, 'data', 'repos')
  const site = api(forge, token)
  const { id: store } = bodyOf<{ id: string }>(await site('GET', '/v1/repos/acme/site'))
  for (const [round, moment] of MOMENTS.entries()) {
    const id = await draft(forge, token)
    const path = `${ADVISORIES}/${id}/fork`
    bodyOf(await api(forge, token)('POST', path), 201)
    await restart()
    await until(
      () => readFork(forge, token, id),
      ({ state }) => state === 'ready',
    )
    const mend = join(directory, `mend-${round}`)
    const remote = (): string =>
      withToken(`${forge.url}/acme/site/security/advisories/${id}.git`, token)
    await git(directory, 'clone', '-q', remote(), mend)
    writeFileSync(join(mend, `file-${round}.txt`), 'safe\n')
    await git(mend, 'add', '.')
    await git(mend, 'commit', '-q', '-m', `Mend ${round}`)
    await git(mend, 'push', '-q', remote(), 'HEAD:refs/heads/fix')
    const mended = (await git(mend, 'rev-parse', 'HEAD')).trim()

    const input = { branch: 'fix', publish: true }
    const files = watch(join(packs, store, 'objects', 'pack'))
    const merge = api(forge, token)('POST', `${path}/merge`, input).catch(() => null)
    if (moment === 'answered') await merge
    else if (moment !== 'asked') await eventOf(files, ENDINGS[moment])
    files.close()
    await restart()
    await merge
    // The branch, the advisory and the fork say the same.
    const { merged } = await readFork(forge, token, id)
    const read = api(forge, token)
    const commit = await read('GET', `/v1/repos/acme/site/commits/${mended}`)
    const states = bodyOf<{ id: string; state: string }[]>(await read('GET', ADVISORIES))
    const state = states.find((one) => one.id === id)?.state
    expect([commit.status, state]).toEqual(merged === null ? [404, 'draft'] : [200, 'published'])
    const left = readdirSync(packs, { recursive: true }).filter((name) =>
      String(name).includes('pending'),
    )
    expect(left).toEqual([])
    if (moment === 'answered') expect(merged).not.toBeNull()
    if (merged === null) {
      const again = await api(forge, token)('POST', `${path}/merge`, input)
      expect(bodyOf<Fork>(again).merged).not.toBeNull()
    }
  }
  await git(clone, 'pull', '-q', withToken(`${forge.url}/acme/site.git`, token), 'main')
  expect(existsSync(join(clone, 'file-3.txt'))).toBe(true)
  expect(await forge.stop()).toBe(0)
  const doctor = Bun.spawn([EXECUTABLE, 'doctor', ...args], {
    // Settings of the tests are none of the program's.
    env: { PATH: process.env.PATH ?? '', HOME: directory },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complaints] = await Promise.all([
    new Response(doctor.stdout).text(),
    new Response(doctor.stderr).text(),
  ])
  await doctor.exited
  expect(complaints).toBe('')
  expect(said).toContain('git stores: sound\n')
  rmSync(directory, { recursive: true, force: true })
}, 300_000)
