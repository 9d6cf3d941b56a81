import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { createInvite } from '#features/accounts/invites/create-invite.ts'
import { listWorkspaceTokens } from '#features/workspaces/list-workspace-tokens.ts'
import { DAY } from '#lib/time.ts'
import { refusal, withToken } from '../../world.ts'
import { seeded } from './token-fixture.ts'

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

test('a token reaches the named repositories with the named role', async () => {
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

test('rights that a workspace token cannot have', async () => {
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
