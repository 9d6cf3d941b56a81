import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })
const other = await world.workspace('other', { owner: ada })

test('members see all of it with their own role', async () => {
  const { id, created_at } = acme
  expect(await world.call(getWorkspace, bob, { workspace: 'acme' })).toEqual({
    id,
    slug: 'acme',
    name: 'acme',
    description: '',
    created_at,
    member_count: 2,
    base_permission: 'write',
    team_creation: 'members',
    package_creation: 'members',
    members_can_create_public_repositories: true,
    members_can_create_private_repositories: true,
    members_can_change_repo_visibility: true,
    members_can_delete_repositories: false,
    members_can_invite_outside_collaborators: true,
    two_factor_requirement_enabled: false,
    memory_review: false,
    secret_scanning_required: false,
    push_protection_required: false,
    html_url: 'https://hearth.test/acme',
    avatar_url: `https://hearth.test/avatars/${id}.svg`,
    repositories_count: 0,
    role: 'member',
  })
  expect((await world.call(getWorkspace, ada, { workspace: 'ACME' })).role).toBe('owner')
  expect(
    (await world.call(getWorkspace, workspaceCaller(acme, { scopes: null }), { workspace: 'acme' }))
      .role,
  ).toBe('member')
})

test('to everyone else it is not there', async () => {
  const eve = await world.user('eve')
  for (const caller of [
    eve,
    workspaceCaller(other, { scopes: null }),
    withToken(ada, { workspace: other.id }),
  ]) {
    expect((await refusal(world.call(getWorkspace, caller, { workspace: 'acme' }))).code).toBe(
      'not_found',
    )
  }
  expect((await refusal(world.call(getWorkspace, ada, { workspace: 'none' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(getWorkspace, ada, { workspace: 'bob' }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(getWorkspace, anonymous, { workspace: 'acme' }))).code).toBe(
    'unauthenticated',
  )
  expect(
    (
      await refusal(
        world.call(getWorkspace, withToken(ada, { scopes: ['repo:read'] }), { workspace: 'acme' }),
      )
    ).details,
  ).toEqual({ scope: 'workspace:read' })
})
