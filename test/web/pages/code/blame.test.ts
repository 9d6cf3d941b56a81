/** The page of a blame: who, when, from which pull request, and what was there before. */
import { expect, test } from 'bun:test'
import { createCommit } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const commit = async (
  message: string,
  files: { path: string; action: 'put' | 'move'; content?: string; from?: string }[],
): Promise<string> =>
  (await forge.call(createCommit, ada, { repo: REPO, branch: 'main', message, files })).sha
const text = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('')
const first = await commit('Write it', [{ path: 'old name.txt', action: 'put', content: text }])
const second = await commit('Rename and change it', [
  { path: 'new.txt', from: 'old name.txt', action: 'move' },
  { path: 'new.txt', action: 'put', content: `changed\n${text}` },
])
const visitor = await forge.browser(null)

test('each part names its author and date and leads to the blame before it', async () => {
  const { html } = await visitor.open(`/${REPO}/blame/main/new.txt?wait=1`)
  const marks = [...html.matchAll(/<td class="blame">([\s\S]*?)<\/td>/g)].map(
    ([, mark = '']) => mark,
  )
  expect(marks).toHaveLength(2)
  for (const mark of marks) {
    expect(mark).toContain('<b>ada</b>')
    expect(mark).toContain('<time datetime="')
  }
  expect(marks[0]).toContain(`href="/${REPO}/commit/${second}"`)
  expect(marks[0]).toContain(`href="/${REPO}/blame-before/${second}/new.txt"`)
  expect(marks[1]).toContain(`href="/${REPO}/blame-before/${first}/old%20name.txt"`)
})

test('the blame before a rename is that of the former name', async () => {
  const before = await visitor.open(`/${REPO}/blame-before/${second}/new.txt`)
  expect([before.status, before.location]).toEqual([302, `/${REPO}/blame/${first}/old%20name.txt`])
})

test('before the commit that created a file there is nothing, and the page says so', async () => {
  const before = await visitor.open(`/${REPO}/blame-before/${first}/old%20name.txt`)
  expect([before.status, before.location]).toEqual([303, `/${REPO}/commit/${first}`])
  expect((await visitor.open(before.location ?? '')).html).toContain('created the file')
  expect((await visitor.open(`/${REPO}/blame-before/${'0'.repeat(40)}/new.txt`)).status).toBe(404)
})
