import { expect, test } from 'bun:test'
import type { Caller } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { updateRepo } from '#features/repos/update-repo.ts'
import { createInvite } from '#features/accounts/create-invite.ts'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { listWorkspaceTokens } from '#features/workspaces/list-workspace-tokens.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { revokeWorkspaceToken } from '#features/workspaces/revoke-workspace-token.ts'
import { updateMember } from '#features/workspaces/update-member.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'

async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada, private: true })
  await world.repo('acme/other', { as: ada, private: true })
  const create = (input: Record<string, unknown> = {}, as = ada) =>
    world.call(createWorkspaceToken, as, {
      workspace: 'acme',
      name: 'deploy',
      scopes: ['repo:read', 'issues:write'],
      ...input,
    } as never)
  const caller = (secret: string | null): Caller => {
    const found = world.hearth.callers.byToken(secret ?? '')
    if (!found) throw new Error('the token does not work')
    return found
  }
  const audit = () =>
    world.hearth.db.all<{ action: string; workspace_id: string | null }>(
      `SELECT action, workspace_id FROM audit_log WHERE action LIKE 'token.%' ORDER BY id`,
    )
  return { world, ada, bob, acme, create, caller, audit }
}

test('a token acts as the workspace, within its scopes and role', async () => {
  const { world, ada, acme, create, caller, audit } = await seeded()
  const token = await create()
  expect(token).toMatchObject({
    kind: 'workspace',
    source: 'api',
    scopes: ['repo:read', 'issues:write'],
    repos: null,
    workspace: 'acme',
    role: 'write',
  })
  expect(token.secret).toMatch(/^hthw_/)
  expect(Date.parse(token.expires_at ?? '') - Date.parse(token.created_at)).toBe(90 * DAY)
  const it = caller(token.secret)
  expect(it).toMatchObject({ kind: 'workspace', id: acme.id, username: 'acme' })
  expect(
    await world.call(createIssue, it, { repo: 'acme/site', title: 'From the workspace' }),
  ).toMatchObject({ author: { kind: 'workspace', username: 'acme' } })
  expect(
    await refusal(world.call(updateRepo, it, { repo: 'acme/site', description: 'x' })),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(await refusal(world.call(createInvite, it, {}))).toMatchObject({
    status: 403,
    reason: 'person_required',
  })
  expect(audit()).toEqual([{ action: 'token.created', workspace_id: acme.id }])
  expect(await world.call(listWorkspaceTokens, ada, { workspace: 'acme' })).toMatchObject({
    items: [{ id: token.id }],
    next: null,
  })
  expect(
    JSON.stringify(await world.call(listWorkspaceTokens, ada, { workspace: 'acme' })),
  ).not.toContain('secret')
})

test('it reaches the repositories that it names, at the role that it names', async () => {
  const { world, create, caller } = await seeded()
  const it = caller(
    (await create({ repos: ['acme/site'], role: 'maintain', scopes: ['repo:admin'] })).secret,
  )
  await world.call(updateRepo, it, { repo: 'acme/site', description: 'Kept by a machine' })
  expect(await refusal(world.call(getRepo, it, { repo: 'acme/other' }))).toMatchObject({
    status: 404,
  })
  const reader = caller((await create({ role: 'read', scopes: ['repo:admin'] })).secret)
  expect(
    await refusal(world.call(updateRepo, reader, { repo: 'acme/site', description: 'x' })),
  ).toMatchObject({ status: 403, reason: 'role' })
})

test('what it may never have', async () => {
  const { world, ada, bob, create, audit } = await seeded()
  for (const scope of ['access:read', 'access:admin', 'user:read', 'site:admin'])
    expect(await refusal(create({ scopes: [scope] }))).toMatchObject({
      status: 422,
      field: 'scopes[0]',
    })
  expect(await refusal(create({ scopes: ['nothing:read'] }))).toMatchObject({ status: 422 })
  expect(await refusal(create({ scopes: [] }))).toMatchObject({ status: 422, field: 'scopes' })
  expect(await refusal(create({ role: 'admin' }))).toMatchObject({ status: 422, field: 'role' })
  for (const expires_in_days of [0, 367])
    expect(await refusal(create({ expires_in_days }))).toMatchObject({
      status: 422,
      field: 'expires_in_days',
    })
  expect(await refusal(create({}, bob))).toMatchObject({ status: 403, reason: 'role' })
  await world.workspace('elsewhere', { owner: ada })
  await world.repo('elsewhere/site', { as: ada })
  expect(await refusal(create({ repos: ['acme/site', 'elsewhere/site'] }))).toMatchObject({
    status: 422,
    field: 'repos[1]',
  })
  expect(await refusal(create({ repos: ['acme/nothing'] }))).toMatchObject({
    status: 422,
    field: 'repos[0]',
  })
  expect(
    await refusal(
      create({ scopes: ['code:write'] }, withToken(ada, { scopes: ['access:admin', 'code:read'] })),
    ),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(audit()).toEqual([])
})

test('it outlives who made it, and ends when an owner says so, or with the workspace', async () => {
  const { world, ada, bob, create, caller, audit } = await seeded()
  const token = await create()
  const kept = await create({ name: 'kept' })
  await world.call(updateMember, ada, { workspace: 'acme', username: 'bob', role: 'owner' })
  await world.call(removeMember, bob, { workspace: 'acme', username: 'ada' })
  caller(token.secret)
  expect(
    await refusal(world.call(revokeWorkspaceToken, ada, { workspace: 'acme', id: token.id })),
  ).toMatchObject({ status: 404 })
  const other = await world.workspace('elsewhere', { owner: bob })
  expect(
    await refusal(world.call(revokeWorkspaceToken, bob, { workspace: other.slug, id: token.id })),
  ).toMatchObject({ status: 404 })
  expect(
    await world.call(revokeWorkspaceToken, bob, { workspace: 'acme', id: token.id }),
  ).toBeNull()
  expect(world.hearth.callers.byToken(token.secret ?? '')).toBeNull()
  expect(audit().at(-1)?.action).toBe('token.revoked')

  await world.call(createWorkspaceToken, bob, {
    workspace: 'elsewhere',
    name: 'x',
    scopes: ['repo:read'],
  })
  await world.call(deleteWorkspace, bob, { workspace: 'elsewhere', confirm: 'elsewhere' })
  expect(world.hearth.db.all('SELECT id FROM tokens').length).toBe(1)
  caller(kept.secret)
})
