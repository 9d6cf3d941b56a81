import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { search } from '#features/search/search.ts'
import { agentOf, makeWorld, refusal, withToken } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')

const find = (
  caller: Caller,
  query: string,
  input: {
    type?: 'repositories' | 'code' | 'issues' | 'pulls' | 'wiki' | 'people'
    page?: number
    per_page?: number
    sort?: 'best' | 'updated' | 'created'
  } = {},
) => world.call(search, caller, { query, ...input })
type Answer = Awaited<ReturnType<typeof find>>

const titles = ({ items }: Answer): string[] =>
  items.flatMap((item) => ('title' in item ? [item.title] : []))
const paths = ({ items }: Answer): string[] =>
  items.flatMap((item) => ('path' in item ? [`${item.repo}:${item.path}`] : [])).sort()
const names = ({ items }: Answer): string[] =>
  items.flatMap((item) => ('full_name' in item ? [item.full_name] : [])).sort()
const text = (parts: readonly { text: string }[]): string => parts.map((part) => part.text).join('')
const marked = (parts: readonly { text: string; match: boolean }[]): string[] =>
  parts.filter((part) => part.match).map((part) => part.text)

await world.workspace('acme', { owner: ada })
await world.workspace('zen', { owner: bob })
await world.repo('acme/site', { as: ada })
await world.repo('acme/vault', { as: ada, private: true })
await world.repo('zen/garden', { as: bob })
await world.commit('acme/site', 'main', {
  'README.md': '# The site\n\nA lighthouse for ships.\n',
  'src/lamp.ts':
    'export function lightTheLamp(wick: number) {\n  return wick * 2\n}\n\nconst other = 1\n',
  'src/deep/keeper.py':
    'class Keeper:\n    def trim(self):\n        return "the lighthouse keeper"\n',
  'package-lock.json': '{"name": "lighthouse-lock"}\n',
  'bin.dat': 'lighthouse\0binary',
})
await world.commit(
  'acme/vault',
  'main',
  { 'secret.txt': 'The lighthouse password is swordfish\n' },
  { as: ada },
)
await world.commit('zen/garden', 'main', { 'stones.md': 'Stones and a lighthouse\n' }, { as: bob })
await world.call(createIssue, ada, {
  repo: 'acme/site',
  title: 'The lamp flickers',
  body: 'It happens near the lighthouse at night.',
  labels: ['bug'],
})
await world.call(createIssue, bob, {
  repo: 'acme/site',
  title: 'Paint the door',
  body: 'In café blue.',
})
await world.call(createIssue, ada, {
  repo: 'acme/vault',
  title: 'Move the lighthouse treasure',
  body: 'At dawn.',
})
await world.call(addComment, ada, {
  repo: 'acme/site',
  number: 2,
  body: 'Ask the lighthouse keeper, who is colourblind.',
})
await world.call(closeIssue, ada, { repo: 'acme/site', number: 2 })
await world.commit('acme/site', 'topic', { 'new.txt': 'a topic\n' })
await world.call(createPull, ada, {
  repo: 'acme/site',
  title: 'Dim the lighthouse',
  branch: 'topic',
})
await world.jobs()

test('each type is found, counted, and shown with what matched', async () => {
  const repos = await find(anonymous, 'gard')
  expect(names(repos)).toEqual(['zen/garden'])
  expect(repos.counts).toMatchObject({ repositories: 1, issues: 0 })
  const [garden] = repos.items
  expect(garden && 'full_name' in garden && marked(garden.highlights.name)).toEqual(['gard'])

  const code = await find(anonymous, 'lighthouse', { type: 'code' })
  expect(paths(code)).toEqual([
    'acme/site:README.md',
    'acme/site:src/deep/keeper.py',
    'zen/garden:stones.md',
  ])
  expect(code.counts).toEqual({ repositories: 0, code: 3, issues: 2, pulls: 1, wiki: 0, people: 0 })
  const keeper = code.items.find((item) => 'path' in item && item.path.endsWith('keeper.py'))
  if (!keeper || !('matches' in keeper)) throw new Error('no file')
  expect(keeper.matches.map(({ number }) => number)).toEqual([3])
  expect(text(keeper.matches[0]?.parts ?? [])).toBe('        return "the lighthouse keeper"')
  expect(marked(keeper.matches[0]?.parts ?? [])).toEqual(['lighthouse'])
  expect(keeper).toMatchObject({ ref: 'main', language: 'Python' })
  expect(keeper.html_url).toEndWith(`/acme/site/blob/${keeper.sha}/src/deep/keeper.py?from=3#L3`)

  const issues = await find(anonymous, 'lighthouse', { type: 'issues' })
  expect(titles(issues)).toEqual(['The lamp flickers', 'Paint the door'])
  const [lamp, door] = issues.items
  if (!lamp || !('state' in lamp && 'highlights' in lamp && 'comments' in lamp.highlights))
    throw new Error('no issue')
  expect(marked(lamp.highlights.body)).toEqual(['lighthouse'])
  if (!door || !('highlights' in door && 'comments' in door.highlights)) throw new Error('no issue')
  expect(door.highlights.comments.map(({ parts }) => marked(parts))).toEqual([['lighthouse']])
  expect(door.highlights.comments[0]?.id).toStartWith('cmt_')

  expect(titles(await find(anonymous, 'dim is:pr'))).toEqual(['Dim the lighthouse'])
  const people = await find(anonymous, 'ad', { type: 'people' })
  expect(people.items).toMatchObject([
    {
      username: 'ada',
      highlights: {
        username: [
          { text: 'ad', match: true },
          { text: 'a', match: false },
        ],
      },
    },
  ])
})

test('what is private is found and counted only for who may see it', async () => {
  const counted = { repositories: 0, code: 4, issues: 3, pulls: 1, wiki: 0, people: 0 }
  expect((await find(ada, 'lighthouse')).counts).toEqual(counted)
  const outside = { repositories: 0, code: 3, issues: 2, pulls: 1, wiki: 0, people: 0 }
  for (const caller of [anonymous, bob]) {
    for (const query of ['lighthouse', 'lighthouse archived:yes', 'lighthouse case:yes'])
      expect((await find(caller, query)).counts).toEqual(outside)
    for (const query of [
      'swordfish',
      'treasure',
      'vault',
      'repo:acme/vault',
      'repo:acme/vault lighthouse',
      'org:acme swordfish',
      'regex:/sword.ish/',
      'path:secret',
    ]) {
      const { counts, items, incomplete } = await find(caller, query)
      expect({ query, counts, items, incomplete }).toEqual({
        query,
        counts: { repositories: 0, code: 0, issues: 0, pulls: 0, wiki: 0, people: 0 },
        items: [],
        incomplete: false,
      })
    }
    // A name that is not there looks the same as one that may not be seen.
    const [there, not] = [
      await find(caller, 'repo:acme/vault branch:main x'),
      await find(caller, 'repo:acme/nothing branch:main x'),
    ]
    expect({ ...there, query: '' }).toEqual({ ...not, query: '' })
  }
  expect((await find(ada, 'swordfish')).counts.code).toBe(1)
})

test('a token finds in private repositories only what its scopes read, and only in its repositories', async () => {
  const counts = async (scopes: string[]) =>
    (await find(withToken(ada, { scopes }), 'lighthouse')).counts
  expect(await counts(['repo:read'])).toMatchObject({ code: 3, issues: 2, pulls: 1 })
  expect(await counts(['repo:read', 'code:read'])).toMatchObject({ code: 4, issues: 2 })
  expect(await counts(['repo:read', 'issues:write'])).toMatchObject({ code: 3, issues: 3 })
  expect(
    (await refusal(find(withToken(ada, { scopes: ['issues:read'] }), 'lighthouse'))).reason,
  ).toBe('scope')
  const other = await world.repo('acme/other', { as: ada, private: true })
  expect(
    (await find(withToken(ada, { repos: [other.id] }), 'swordfish', { type: 'code' })).items,
  ).toEqual([])
})

test('an agent finds nothing outside its repository, public or not', async () => {
  const { findRepo } = { findRepo: (name: string) => world.hearth.facts.repo(name, ada) }
  const site = findRepo('acme/site')
  if (!site) throw new Error('no repository')
  const agent = agentOf(ada, site, { id: 'agt_01h455vb4pex5vsknk084sn02q' })
  expect((await find(agent, 'lighthouse')).counts).toEqual({
    repositories: 0,
    code: 2,
    issues: 2,
    pulls: 1,
    wiki: 0,
    people: 0,
  })
  expect((await find(agent, 'ada', { type: 'people' })).items).toEqual([])
  expect((await find(agent, 'stones')).counts.code).toBe(0)
  expect(names(await find(agent, 'e'))).toEqual(['acme/site'])
})

test('qualifiers narrow, and quotes, minus and case are obeyed', async () => {
  expect(titles(await find(anonymous, 'is:issue is:open'))).toEqual(['The lamp flickers'])
  expect(titles(await find(anonymous, 'is:closed', { type: 'issues' }))).toEqual(['Paint the door'])
  expect(titles(await find(anonymous, 'label:BUG', { type: 'issues' }))).toEqual([
    'The lamp flickers',
  ])
  expect(titles(await find(anonymous, '-label:bug', { type: 'issues' }))).toEqual([
    'Paint the door',
  ])
  expect(titles(await find(anonymous, 'author:bob', { type: 'issues' }))).toEqual([
    'Paint the door',
  ])
  expect(titles(await find(bob, 'author:@me', { type: 'issues' }))).toEqual(['Paint the door'])
  expect(titles(await find(anonymous, 'lighthouse -keeper', { type: 'issues' }))).toEqual([
    'The lamp flickers',
  ])
  expect(titles(await find(anonymous, '-keeper', { type: 'issues' }))).toEqual([
    'The lamp flickers',
  ])
  expect(titles(await find(anonymous, 'cafe', { type: 'issues' }))).toEqual(['Paint the door'])
  expect(titles(await find(anonymous, '"near the lighthouse"', { type: 'issues' }))).toEqual([
    'The lamp flickers',
  ])
  expect(titles(await find(anonymous, '"lighthouse the near"', { type: 'issues' }))).toEqual([])
  expect((await find(anonymous, 'no:assignee', { type: 'issues' })).counts.issues).toBe(2)
  expect((await find(anonymous, 'is:merged')).counts.pulls).toBe(0)

  expect(paths(await find(anonymous, 'lighthouse language:python'))).toEqual([
    'acme/site:src/deep/keeper.py',
  ])
  expect(paths(await find(anonymous, 'language:ts'))).toEqual(['acme/site:src/lamp.ts'])
  expect(paths(await find(anonymous, 'path:src/*.ts'))).toEqual(['acme/site:src/lamp.ts'])
  expect(
    paths(await find(anonymous, 'lighthouse -path:src repo:acme/site', { type: 'code' })),
  ).toEqual(['acme/site:README.md'])
  expect(paths(await find(anonymous, 'symbol:lightThe'))).toEqual(['acme/site:src/lamp.ts'])
  expect(paths(await find(anonymous, 'LIGHTHOUSE', { type: 'code' }))).toHaveLength(3)
  expect(paths(await find(anonymous, 'LIGHTHOUSE case:yes', { type: 'code' }))).toEqual([])
  expect(paths(await find(anonymous, '"return wick * 2"', { type: 'code' }))).toEqual([
    'acme/site:src/lamp.ts',
  ])
  expect(paths(await find(anonymous, 'lighthouse generated:yes', { type: 'code' }))).toContain(
    'acme/site:package-lock.json',
  )
  expect(paths(await find(anonymous, 'regex:/light(The|house) ?Lamp\\(/'))).toEqual([
    'acme/site:src/lamp.ts',
  ])
  expect(paths(await find(anonymous, 'is', { type: 'code' }))).toEqual([])
  expect(paths(await find(anonymous, 'or', { type: 'code' })).length).toBeGreaterThan(0)
  // What nobody knows as a qualifier is a word.
  expect(paths(await find(anonymous, 'wick:', { type: 'code' }))).toEqual(['acme/site:src/lamp.ts'])
})

test('an empty query and an expression that is none are refused, naming the input', async () => {
  for (const query of ['', '   ', '""', 'regex:/(/', 'regex:/(a{1000}){1000}/', 'branch:main x']) {
    expect(await refusal(find(anonymous, query))).toMatchObject({ code: 'invalid', field: 'query' })
  }
  expect(
    await refusal(world.call(search, anonymous, { query: 'x', type: 'nothing' as 'code' })),
  ).toMatchObject({ code: 'invalid', field: 'type' })
})

test('pages go on where the one before ended, and end', async () => {
  const first = await find(anonymous, 'lighthouse', { type: 'code', per_page: 2 })
  expect(first).toMatchObject({ page: 1, per_page: 2, next: '2' })
  const second = await find(anonymous, 'lighthouse', { type: 'code', per_page: 2, page: 2 })
  expect(second).toMatchObject({ page: 2, next: null })
  expect([...paths(first), ...paths(second)].sort()).toHaveLength(3)
  expect(new Set([...paths(first), ...paths(second)]).size).toBe(3)
  expect((await find(anonymous, 'lighthouse', { type: 'code', page: 9 })).items).toEqual([])
  expect((await find(anonymous, 'lighthouse', { type: 'code', per_page: 500 })).per_page).toBe(50)
})

test('without a type it also answers the best of each other type', async () => {
  const broad = await find(bob, 'lighthouse')
  expect(broad.type).toBe('repositories')
  const types = (broad.best ?? []).map(({ type }) => type)
  expect(types).toContain('code')
  expect(types).toContain('issues')
  for (const { type, items } of broad.best ?? []) {
    const alone = await find(bob, 'lighthouse', { type })
    expect(items.length).toBeLessThanOrEqual(3)
    expect(items).toEqual(alone.items.slice(0, 3))
  }
  // What the caller cannot see is in no part of the answer.
  expect(JSON.stringify(broad)).not.toContain('acme/vault')
  expect(JSON.stringify((await find(ada, 'swordfish')).best)).toContain('acme/vault')
  expect((await find(bob, 'swordfish')).best).toEqual([])

  expect((await find(bob, 'lighthouse', { type: 'repositories' })).best).toBeNull()
  expect((await find(bob, 'lighthouse is:issue')).best).toBeNull()
  expect((await find(bob, 'lighthouse', { page: 2 })).best).toBeNull()
})
