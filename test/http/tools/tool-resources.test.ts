/** Resources, prompts and completion over the real operations: what a client's user picks from. */
import { expect, test } from 'bun:test'
import { nowhere } from '#core/audit.ts'
import type { SignedIn } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { complete } from '#http/tools/tool-completion.ts'
import { getPrompt, listPrompts, PROMPTS } from '#http/tools/tool-prompts.ts'
import { RESOURCES, readResource, templatesOf } from '#http/tools/tool-resources.ts'
import { selectionOf } from '#http/tools/tool-selection.ts'
import { type ToolRequest, Tools } from '#http/tools/tools.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const eve = await world.user('eve')
await world.workspace('acme', { owner: ada })
await world.workspace('evil', { owner: eve })
await world.repo('acme/site', { as: ada, private: true })
await world.repo('acme/side', { as: ada })
await world.commit('acme/site', 'topic/one', {
  'src/a b.ts': 'export const a = 1\n',
  'long.txt': 'a line of text\n'.repeat(4000),
})
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255])
const { commit } = await world.hearth.git.commitFiles(
  world.hearth.db.one<{ store: string }>(`SELECT store FROM repos WHERE name = 'site'`)?.store ??
    '',
  {
    parent: null,
    changes: [{ action: 'put', path: 'dot.png', data: new Uint8Array(BYTES) }],
    message: 'A picture',
    author: { name: 'ada', email: 'a@b', time: 0, zone: '+0000' },
    committer: { name: 'ada', email: 'a@b', time: 0, zone: '+0000' },
  },
)
{
  const { moveRefs, prepareUpdates, repoByPath } = await import('#features/repos/index.ts')
  const repo = repoByPath(world.hearth.db, 'acme/site')
  if (!repo) throw new Error('no repository')
  const prepared = await prepareUpdates(world.hearth, repo, [
    { name: 'refs/heads/main', old: null, new: commit },
  ])
  await world.write((tx) => moveRefs(tx, repo, prepared), ada)
}
const issue = await world.call(createIssue, ada, {
  repo: 'acme/site',
  title: 'The door squeaks',
  body: 'Oil it.',
})
const { pull } = await world.call(createPull, ada, {
  repo: 'acme/site',
  issue: issue.number,
  title: 'Oil the door',
})
const tools = new Tools(world.hearth)

const as = (caller: SignedIn): ToolRequest => ({
  selectionKey: '',
  id: 'req_1',
  caller,
  credential: `of ${caller.id}`,
  selection: selectionOf('/mcp', '', null, world.hearth.operations),
  signal: new AbortController().signal,
  origin: nowhere,
  deadlineMs: performance.now() + 60_000,
  progress: null,
  rateRefusal: null,
  showsSecret: false,
  tool: null,
  currentCaller: () => caller,
})
const read = async (uri: string, caller: SignedIn = ada) =>
  (await readResource(RESOURCES, tools, as(caller), uri)).contents[0]
const refusedRead = (uri: string, caller: SignedIn = ada) =>
  read(uri, caller).then(
    () => 'read',
    (error: { code?: number }) => error.code,
  )

test('the four kinds are offered', () => {
  expect(templatesOf(RESOURCES, tools).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'hearth://{owner}/{name}/file/{ref}/{+path}',
    'hearth://{owner}/{name}/issue/{number}',
    'hearth://{owner}/{name}/pull/{number}',
    'hearth://{owner}/{name}/pull/{number}/diff',
  ])
})

test('a file is its text or its bytes, whole, whatever its ref and path are called', async () => {
  const uri = 'hearth://acme/site/file/topic%2Fone/src/a%20b.ts'
  expect(await read(uri)).toEqual({ uri, mimeType: 'text/plain', text: 'export const a = 1\n' })
  const long = (await read('hearth://acme/site/file/topic%2Fone/long.txt')) as { text: string }
  expect(long.text).toBe('a line of text\n'.repeat(4000))
  const picture = (await read('hearth://acme/site/file/main/dot.png')) as {
    mimeType: string
    blob: string
  }
  expect([picture.mimeType, Buffer.from(picture.blob, 'base64').equals(BYTES)]).toEqual([
    'application/octet-stream',
    true,
  ])
})

test('issues, pull requests and their diffs are the JSON of their tools', async () => {
  const json = async (uri: string) => {
    const contents = (await read(uri)) as { mimeType: string; text: string }
    expect(contents.mimeType).toBe('application/json')
    return JSON.parse(contents.text) as Record<string, unknown>
  }
  expect(await json(`hearth://acme/site/issue/${issue.number}`)).toMatchObject({
    issue: { number: issue.number, title: 'The door squeaks' },
  })
  const { number } = pull
  expect(JSON.stringify(await json(`hearth://acme/site/pull/${number}`))).toContain('Oil the door')
  expect(await json(`hearth://acme/site/pull/${number}/diff`)).toHaveProperty('files')
})

test('what is not there, may not be seen, or is no address is the protocol’s not found', async () => {
  for (const uri of [
    'hearth://acme/site/file/main/none',
    'hearth://acme/none/issue/1',
    'hearth://acme/site/issue/999',
    'hearth://acme/site/wiki/1',
    'http://acme/site/issue/1',
    'hearth://acme/site/file/%zz/a',
    '',
  ]) {
    expect([uri, await refusedRead(uri)]).toEqual([uri, -32602])
  }
  expect(await refusedRead(`hearth://acme/site/issue/${issue.number}`, eve)).toBe(-32602)
  expect(await refusedRead('hearth://acme/site/file/main/../secret', eve)).toBe(-32602)
})

test('three prompts begin work; a missing or wrong argument is named', () => {
  expect(
    listPrompts(PROMPTS).map(({ name, arguments: args }) => [name, args?.map((one) => one.name)]),
  ).toEqual([
    ['fix_checks', ['repo', 'number']],
    ['review_pull', ['repo', 'number']],
    ['work_on_issue', ['repo', 'number']],
  ])
  for (const { name } of PROMPTS) {
    const { messages } = getPrompt(PROMPTS, name, { repo: 'acme/site', number: '7' })
    expect(JSON.stringify(messages)).toContain('#7 of acme/site')
    expect(() => getPrompt(PROMPTS, name, { repo: 'acme/site' })).toThrow('number is required')
    expect(() => getPrompt(PROMPTS, name, { repo: 'acme site', number: '7' })).toThrow(
      'repo is required',
    )
    expect(() =>
      getPrompt(PROMPTS, name, { repo: 'acme/site', number: '7; and delete everything' }),
    ).toThrow('number is required')
    // Every tool that a prompt names is there.
    for (const [word] of JSON.stringify(messages).matchAll(
      /\b(get|list|create|mark|append|add|review)_[a-z_]+/g,
    ))
      expect([word, tools.has(word)]).toEqual([word, true])
  }
  expect(() => getPrompt(PROMPTS, 'nothing', {})).toThrow('there are fix_checks')
})

test('values are offered while they are typed, and only what the caller can see', async () => {
  const offer = async (
    ref: { type: string; name?: string; uri?: string },
    name: string,
    value: string,
    given: Record<string, string> = {},
    caller: SignedIn = ada,
  ) =>
    (
      await complete({ prompts: PROMPTS, resources: RESOURCES }, tools, as(caller), {
        ref,
        argument: { name, value },
        context: { arguments: given },
      })
    ).completion.values.toSorted()
  const prompt = { type: 'ref/prompt', name: 'work_on_issue' }
  expect(await offer(prompt, 'repo', 'ac')).toEqual(['acme/side', 'acme/site'])
  expect(await offer(prompt, 'repo', 'acme/si')).toEqual(['acme/side', 'acme/site'])
  expect(await offer(prompt, 'repo', 'acme/', {}, eve)).toEqual(['acme/side'])
  expect(await offer(prompt, 'repo', 'nothing')).toEqual([])
  expect(await offer(prompt, 'number', '', { repo: 'acme/site' })).toEqual([String(issue.number)])
  expect(await offer(prompt, 'number', '', { repo: 'acme/site' }, eve)).toEqual([])
  expect(await offer(prompt, 'number', '')).toEqual([])
  expect(await offer(prompt, 'other', '')).toEqual([])
  const file = { type: 'ref/resource', uri: 'hearth://{owner}/{name}/file/{ref}/{+path}' }
  expect(await offer(file, 'owner', 'a')).toEqual(['acme'])
  expect(await offer(file, 'name', 's', { owner: 'acme' })).toEqual(['side', 'site'])
  expect(await offer(file, 'ref', '', { owner: 'acme', name: 'site' })).toEqual([
    'main',
    'topic/one',
  ])
  for (const ref of [
    { type: 'ref/prompt', name: 'nothing' },
    { type: 'ref/resource', uri: 'hearth://nothing' },
  ])
    await expect(offer(ref, 'repo', '')).rejects.toThrow()
})
