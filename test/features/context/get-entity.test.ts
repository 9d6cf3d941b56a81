import { expect, test } from 'bun:test'
import { call } from '#core/operation.ts'
import { getEntity } from '#features/context/get-entity.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal, withToken } from '../../world.ts'
import { makeContextWorld, SITE, VAULT } from './fixture.ts'

const { world, ada, bob, memory, entity } = await makeContextWorld()

type Related = Awaited<ReturnType<typeof entity>>
const related = ({ relations }: Related): string[] =>
  relations.map(({ type, kind, id }) => `${type} ${kind} ${id}`)

test('describes a project, a repository and their owners', async () => {
  const project = await entity(ada, 'project', 'lighthouse')
  expect(project).toMatchObject({ key: 'lighthouse', trusted: true, title: 'Lighthouse' })
  expect(project.fields).toMatchObject({ owner: 'ada', repositories: [SITE, VAULT] })
  expect(related(project)).toEqual([
    'owns owner ada',
    `contains repo ${SITE}`,
    `contains repo ${VAULT}`,
  ])
  expect(project.recent.length).toBeGreaterThan(0)
  const repo = await entity(ada, 'repo', SITE)
  expect(repo).toMatchObject({ project: 'lighthouse', fields: { owners: ['bob'] } })
  expect(related(repo)).toEqual(['owns owner bob', 'contains project lighthouse'])
  expect(await entity(ada, 'repo', 'site')).toMatchObject({ id: repo.id })
  const owner = await entity(ada, 'owner', 'bob')
  expect(owner.fields).toMatchObject({ kind: 'person', paths_owned: [`${SITE}:*.md`] })
  expect(await entity(ada, 'owner', '@acme/lighthouse-keepers')).toMatchObject({
    fields: { kind: 'team', members: ['ada'] },
  })
})

test('describes issues, pull requests, documents, memories and dependencies', async () => {
  const issue = await entity(ada, 'issue', `${SITE}#1`)
  expect(issue).toMatchObject({ title: 'The lighthouse flickers', fields: { state: 'open' } })
  expect(related(issue)).toEqual([`resolves pull ${SITE}#3`])
  expect(issue.memories).toEqual([
    { id: memory.id, kind: 'fact', text: 'The lighthouse tests need oil' },
  ])
  expect(issue.recent[0]?.type).toStartWith('issue.')
  expect(related(await entity(ada, 'pull', '3', SITE))).toEqual([`resolves issue ${SITE}#1`])
  const doc = await entity(ada, 'doc', 'docs/lamp.md', SITE)
  expect(doc).toMatchObject({ title: 'The lamp', fields: { headings: ['# The lamp'] } })
  expect(related(doc)).toEqual([`contains repo ${SITE}`, `mentions issue ${SITE}#1`])
  expect(await entity(ada, 'memory', memory.id)).toMatchObject({ kind: 'memory', repo: SITE })
  expect(await entity(ada, 'dependency', 'npm:left-pad')).toMatchObject({
    fields: { repositories: [SITE], versions: [`^1.3.0 in ${SITE}:package.json`] },
  })
})

test('marks what strangers wrote', async () => {
  const marks: string[] = []
  const strange = { workspace: 'acme', kind: 'issue', id: `${SITE}#2` } as const
  await world.call(getEntity, ada, strange, { untrusted: (pointers) => marks.push(...pointers) })
  expect(marks).toContain('/title')
  expect(marks).toContain('/fields/body')
  expect(marks).toContain('/relations/0/title')
})

test('what the caller cannot read does not exist for them', async () => {
  const missing = async (...input: Parameters<typeof entity>) =>
    expect((await refusal(entity(...input))).code).toBe('not_found')
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  await missing(bob, 'repo', VAULT)
  await missing(bob, 'issue', `${VAULT}#1`)
  await missing(bob, 'doc', `${VAULT}:plan.md`)
  const project = await entity(bob, 'project', 'lighthouse')
  expect(JSON.stringify(project)).not.toContain('vault')
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'write' })
  await missing(withToken(ada, { scopes: ['memory:read'] }), 'issue', `${SITE}#1`)
  await missing(ada, 'issue', `${SITE}#99`)
  await missing(ada, 'run', 'run_01h455vb4pex5vsknk084sn02q')
  await missing(ada, 'package', 'npm:none')
  await missing(ada, 'ticket', 'ABC-1')
  await world.workspace('other', { owner: ada })
  await world.repo('other/thing', { as: ada })
  await missing(ada, 'repo', 'other/thing')
  await missing(ada, 'doc', 'other/thing:README.md')
  const unknown = { workspace: 'acme', kind: 'planet' as 'issue', id: 'x' }
  expect((await refusal(call(world.hearth, getEntity, ada, unknown))).code).toBe('invalid')
})
