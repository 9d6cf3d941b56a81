import { expect, test } from 'bun:test'
import { listAudit } from '#core/audit.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/site')
await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
await world.commit('acme/site', 'next', { 'b.txt': 'b\n' })
const repo = 'acme/site'

test('what is given changes, and one event names it', async () => {
  const before = world.events('repo.updated').length
  const record = await world.call(updateRepo, ada, {
    repo,
    description: 'New',
    website: 'https://example.com',
    topics: ['git', 'forge', 'git'],
  })
  expect(record).toMatchObject({
    description: 'New',
    website: 'https://example.com',
    topics: ['git', 'forge'],
    protected: true,
  })
  const events = world.events('repo.updated')
  expect(events.length).toBe(before + 1)
  expect(events.at(-1)?.data).toEqual({ changed: ['description', 'website', 'topics'] })
  await world.call(updateRepo, ada, { repo, description: 'New' })
  expect(world.events('repo.updated').length).toBe(before + 1)
  expect(await world.call(updateRepo, ada, { repo, description: '', website: '' })).toMatchObject({
    description: null,
    website: null,
  })
})

test('bad input is named', async () => {
  const wrong = {
    description: 'x'.repeat(351),
    website: 'javascript:alert(1)',
    topics: ['Upper'],
    default_branch: 'missing',
    protected: 'perhaps',
  }
  for (const [field, value] of Object.entries(wrong)) {
    const error = await refusal(world.call(updateRepo, ada, { repo, [field]: value } as never))
    expect(error.status).toBe(422)
    expect(error.field).toStartWith(field)
  }
})

test('members with write may not, and changing who sees it is for admins', async () => {
  expect((await refusal(world.call(updateRepo, bob, { repo, description: 'Mine' }))).status).toBe(
    403,
  )
  expect((await world.call(updateRepo, ada, { repo, private: true })).visibility).toBe('private')
  expect(world.events('repo.visibility_changed').at(-1)?.data).toEqual({ private: true })
  expect((await world.call(updateRepo, ada, { repo, private: false })).visibility).toBe('public')
})

test('visibility means the same as private, for repositories that are made as well', async () => {
  const set = (input: Record<string, unknown>, as = ada) =>
    world.call(updateRepo, as, { repo, ...input } as never)
  expect(await set({ visibility: 'private' })).toMatchObject({
    private: true,
    visibility: 'private',
  })
  expect(await set({ visibility: 'public', private: false })).toMatchObject({ private: false })
  const events = world.events('repo.visibility_changed').length
  expect(await refusal(set({ visibility: 'private', private: false }))).toMatchObject({
    status: 422,
    field: 'visibility',
  })
  expect((await refusal(set({ visibility: 'internal' }))).status).toBe(422)
  expect((await refusal(set({ visibility: 'private' }, bob))).status).toBe(403)
  expect(world.events('repo.visibility_changed').length).toBe(events)
  const create = (name: string, input: Record<string, unknown>) =>
    world.call(createRepo, ada, { workspace: 'acme', name, ...input } as never)
  expect((await create('open', { visibility: 'public' })).private).toBe(false)
  expect((await create('closed', { visibility: 'private' })).private).toBe(true)
  expect(await refusal(create('none', { visibility: 'public', private: true }))).toMatchObject({
    field: 'visibility',
  })
})

test('who sees it, protection and the default branch are in the audit log, a description is not', async () => {
  const entries = () =>
    listAudit(world.hearth.db, { action: 'repo.', limit: 100 }).map(({ action, data }) => [
      action,
      JSON.parse(data),
    ])
  const before = entries().length
  await world.call(updateRepo, ada, { repo, description: 'Other', protected: false })
  await world.call(updateRepo, ada, { repo, protected: true })
  expect(entries().slice(0, -before || undefined)).toEqual([
    ['repo.protection_changed', { before: { protected: false }, after: { protected: true } }],
    ['repo.protection_changed', { before: { protected: true }, after: { protected: false } }],
  ])
  expect(entries().map(([action]) => action)).toContain('repo.visibility_changed')
})

test('the default branch is one that exists', async () => {
  expect((await world.call(updateRepo, ada, { repo, default_branch: 'next' })).default_branch).toBe(
    'next',
  )
  expect(world.events('repo.default_branch_changed').at(-1)?.data).toEqual({
    previous: 'main',
    default_branch: 'next',
  })
  await world.call(updateRepo, ada, { repo, default_branch: 'main' })
})

test('the languages and size are measured after a push to the default branch', async () => {
  await world.commit(repo, 'main', {
    'src/a.ts': 'export const a = 1\n',
    LICENSE:
      'MIT License\n\nPermission is hereby granted, free of charge, to any person ... without restriction ... The above copyright notice and this permission notice shall',
  })
  await world.jobs()
  const record = await world.call(getRepo, ada, { repo })
  expect(record).toMatchObject({ language: 'TypeScript', license: 'MIT' })
  expect(record.size_in_bytes).toBeGreaterThan(0)
})
