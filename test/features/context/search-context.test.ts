import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { repoByPath } from '#features/repos/index.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { makeContextWorld, SITE, VAULT } from './fixture.ts'

const { world, ada, bob, eve, memory, find } = await makeContextWorld()

const repoId = (name: string): string => repoByPath(world.hearth.db, name)?.id ?? ''
const keys = ({ items }: Awaited<ReturnType<typeof find>>): string[] =>
  items.map(({ kind, key }) => `${kind} ${key}`).sort()

test('finds what a workspace has about a word, the best first, each with a citation', async () => {
  const found = await find(ada, 'lighthouse', { limit: 50 })
  expect(keys(found)).toEqual([
    `doc ${SITE}:docs/lamp.md`,
    `doc ${VAULT}:plan.md`,
    `issue ${SITE}#1`,
    `issue ${SITE}#2`,
    `issue ${VAULT}#1`,
    `memory ${memory.id}`,
    'owner acme/lighthouse-keepers',
    'project lighthouse',
    `pull ${SITE}#3`,
  ])
  expect(found.items.map(({ score }) => score)).toEqual(
    found.items.map(({ score }) => score).sort((a, b) => b - a),
  )
  const project = found.items.find(({ kind }) => kind === 'project')
  expect([project?.score, found.items.at(0)?.score]).toEqual([1, 1])
  expect(found.next).toBeNull()
  const doc = found.items.find(({ key }) => key === `${SITE}:docs/lamp.md`)
  expect(doc?.citation).toMatch(/^acme\/site:docs\/lamp\.md:\d+@[0-9a-f]{40}$/)
  expect(doc).toMatchObject({ repo: SITE, project: 'lighthouse', trusted: true })
})

test('narrows by repository, project and kinds, and finds what has only some of the words', async () => {
  expect(keys(await find(ada, 'lighthouse', { repo: VAULT, kinds: ['issue', 'doc'] }))).toEqual([
    `doc ${VAULT}:plan.md`,
    `issue ${VAULT}#1`,
  ])
  expect(keys(await find(ada, 'lighthouse', { repo: 'vault', kinds: ['issue'] }))).toEqual([
    `issue ${VAULT}#1`,
  ])
  expect(keys(await find(ada, 'flickers', { project: 'lighthouse', kinds: ['issue'] }))).toEqual([
    `issue ${SITE}#1`,
  ])
  expect(keys(await find(ada, 'where is the treasure', { kinds: ['issue'] }))).toContain(
    `issue ${VAULT}#1`,
  )
  expect(keys(await find(ada, 'left-pad', { kinds: ['dependency'] }))).toEqual([
    'dependency npm:left-pad',
  ])
  expect(keys(await find(ada, 'bob', { kinds: ['owner'] }))).toEqual(['owner bob'])
  expect(keys(await find(ada, 'site', { kinds: ['repo'] }))).toEqual([`repo ${SITE}`])
  expect((await refusal(find(ada, 'x', { project: 'none' }))).code).toBe('not_found')
  expect((await refusal(find(ada, 'x', { repo: 'other/site' }))).code).toBe('not_found')
  expect((await refusal(find(ada, '!?'))).field).toBe('query')
})

test('pages within a budget of tokens without losing or repeating anything', async () => {
  const whole = await find(ada, 'lighthouse', { limit: 50 })
  const paged: string[] = []
  let cursor: string | undefined
  do {
    const part = await find(ada, 'lighthouse', {
      max_tokens: 250,
      ...(cursor === undefined ? {} : { cursor }),
    })
    expect(part.items.length === 1 || part.tokens <= 250).toBe(true)
    paged.push(...part.items.map(({ key }) => key))
    cursor = part.next ?? undefined
  } while (cursor !== undefined)
  expect(paged).toEqual(whole.items.map(({ key }) => key))
  expect((await refusal(find(ada, 'x', { cursor: 'abc' }))).field).toBe('cursor')
})

test('leaves out what the caller cannot read, and marks what strangers wrote', async () => {
  expect((await refusal(find(anonymous, 'lighthouse'))).code).toBe('unauthenticated')
  expect((await refusal(find(eve, 'lighthouse'))).code).toBe('not_found')
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  const marks: string[] = []
  const found = await find(bob, 'lighthouse', { limit: 50 }, marks)
  expect(JSON.stringify(found)).not.toMatch(/vault|treasure/)
  expect(keys(found)).toContain(`issue ${SITE}#2`)
  const strange = found.items.findIndex(({ key }) => key === `${SITE}#2`)
  expect(marks).toContain(`/items/${strange}/title`)
  expect(marks).not.toContain(
    `/items/${found.items.findIndex(({ key }) => key === `${SITE}#1`)}/title`,
  )
  expect((await refusal(find(bob, 'lighthouse', { repo: VAULT }))).code).toBe('not_found')
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'write' })
})

test('an agent finds what is public and what is in its repository', async () => {
  const scopes = ['memory:read', 'issues:read', 'repo:read', 'code:read']
  const at = (repo: { id: string }) => agentOf(ada, repo, { id: 'agt_1', scopes })
  const inSite = await find(at({ id: repoId(SITE) }), 'lighthouse', { limit: 50 })
  expect(keys(inSite)).toContain(`issue ${SITE}#1`)
  expect(JSON.stringify(inSite)).not.toMatch(/vault|treasure/)
  const inVault = await find(at({ id: repoId(VAULT) }), 'lighthouse', { limit: 50 })
  expect(keys(inVault)).toContain(`doc ${VAULT}:plan.md`)
})

test('a token that may read memory finds no issues and no code', async () => {
  const token = withToken(ada, { scopes: ['memory:read'] })
  expect(keys(await find(token, 'lighthouse', { limit: 50 }))).toEqual([
    'owner acme/lighthouse-keepers',
    'project lighthouse',
  ])
  expect((await refusal(find(withToken(ada, { scopes: ['issues:read'] }), 'x'))).reason).toBe(
    'scope',
  )
})
