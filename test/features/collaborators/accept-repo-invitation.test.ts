import { describe, expect, test } from 'bun:test'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { addMember } from '#features/workspaces/index.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { sentMails } from '../accounts/mailbox.ts'
import { seeded } from './invitation-fixture.ts'

test('an invitation by username is mailed and listed, and gives the role when accepted', async () => {
  const { world, ada, out, repo, site, invite, accept, mine, roleOf, audits } = await seeded()
  const invitation = await invite()
  expect(invitation).toMatchObject({
    kind: 'repository',
    workspace: 'acme',
    repository: { id: site.id, name: 'site', full_name: repo },
    invitee: { id: out.id, username: 'out' },
    email: null,
    role: 'write',
    state: 'pending',
    invited_by: { username: 'ada' },
    answered_at: null,
    html_url: `${world.hearth.settings.site_url}/invite/${invitation.id}`,
  })
  expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY)
  expect(await roleOf(out)).toBe('nothing')
  expect(await mine()).toEqual([invitation.id])
  const [letter] = await sentMails(world)
  expect([
    letter?.to,
    letter?.text.includes(invitation.html_url),
    letter?.text.includes('code='),
  ]).toEqual(['out@example.com', true, false])
  expect((await world.call(listCollaborators, ada, { repo })).invitations).toMatchObject([
    { id: invitation.id },
  ])
  expect((await refusal(invite())).reason).toBe('already_exists')
  expect(await accept(invitation.id)).toMatchObject({
    state: 'accepted',
    answered_at: expect.any(String),
  })
  expect(await roleOf(out)).toBe('write')
  expect(await mine()).toEqual([])
  expect((await refusal(accept(invitation.id))).reason).toBe('not_open')
  expect(world.events('repo.collaborator_added')).toMatchObject([
    { actor_id: out.id, data: { username: 'out', role: 'write' } },
  ])
  for (const action of [
    'repo.collaborator_invited',
    'repo.invitation_accepted',
    'repo.collaborator_added',
  ])
    expect([action, audits(action).length]).toEqual([action, 1])
  expect((await refusal(invite())).reason).toBe('already_exists')
})

describe('what ends it', () => {
  test('the repository is deleted', async () => {
    const { world, ada, repo, invite, accept, mine } = await seeded()
    const { id } = await invite()
    await world.call(deleteRepo, ada, { repo, confirm: repo })
    expect(await mine()).toEqual([])
    expect((await refusal(accept(id))).reason).toBe('not_open')
  })
})

test('a user who got a higher role meanwhile keeps it', async () => {
  const { world, ada, out, workspace, invite, accept, roleOf, db } = await seeded()
  const { id } = await invite('out', 'read')
  await world.write((tx) =>
    addMember(tx, { workspace_id: workspace.id, user_id: out.id, role: 'owner' }),
  )
  expect((await accept(id)).state).toBe('accepted')
  expect(await roleOf(out)).toBe('admin')
  expect(db.all('SELECT 1 FROM collaborators')).toEqual([])
  expect(ada.username).toBe('ada')
})
