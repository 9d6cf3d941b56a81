/**
 * The pages of invitations, teams, collaborators and reviewers, as browsers without a script use
 * them.
 */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { runForge } from '../../features/oauth/running.ts'
import { sentMails } from '../../features/accounts/mailbox.ts'
import { addMember } from '#features/workspaces/index.ts'

async function setUp(change: Parameters<typeof runForge>[0] = {}) {
  const forge = await runForge(change)
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  const out = await forge.user('out')
  const acme = await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada, private: true })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a' })
  return {
    forge,
    ada,
    bob,
    out,
    acme,
    owner: await forge.browser('ada'),
    member: await forge.browser('bob'),
    outsider: await forge.browser('out'),
    visitor: await forge.browser(null),
  }
}

const linkIn = (text: string | undefined): string =>
  /https?:\/\/[^/\s]+(\/invite\/\S+)/.exec(text ?? '')?.[1] ?? ''

test('an owner invites by mail; the link lets a stranger sign up and a person in', async () => {
  const { forge, owner, member, outsider, visitor } = await setUp({ sign_up: 'invite' })
  const page = await owner.open('/acme/-/members')
  expect((await member.open('/acme/-/members')).html).not.toContain('Invite somebody')
  const refused = await owner.press(page.html, '/acme/-/members/invite', {
    email: 'nonsense',
    role: 'member',
  })
  expect([refused.status, refused.html.includes('value="nonsense"')]).toEqual([422, true])
  expect(
    (
      await owner.press(page.html, '/acme/-/members/invite', {
        email: 'out@example.com',
        role: 'owner',
      })
    ).status,
  ).toBe(303)
  const link = linkIn((await sentMails(forge)).at(-1)?.text)
  const [path = '', code = ''] = link.split('?code=')

  const stranger = await visitor.open(link)
  expect([
    stranger.status,
    stranger.html.includes(`/register?invite=${code}`),
    stranger.html.includes('acme'),
  ]).toEqual([200, true, false])
  expect((await visitor.open(`/register?invite=${code}`)).html).toContain('name="username"')
  expect((await member.open(path)).html).toContain('No open invitation')
  expect((await outsider.open('/')).html).toContain('Invitations for you')
  const asked = await outsider.open(path)
  expect(asked.html).toContain('an owner')
  // The two buttons of the form have one name.
  const accepted = await outsider.press(asked.html, path, { decision: 'accept' })
  expect([accepted.status, accepted.location]).toEqual([303, '/acme'])
  expect((await outsider.open('/')).html).not.toContain('Invitations for you')
  const again = await outsider.press(asked.html, path, { decision: 'accept' })
  expect([again.status, again.location]).not.toEqual([303, '/acme'])
  expect((await owner.open('/acme/-/members')).html).toContain('Accepted')
})

test('an invitation is revoked on the members page, or declined by the user', async () => {
  const { forge, owner, outsider } = await setUp()
  const invite = async (email: string) =>
    owner.press((await owner.open('/acme/-/members')).html, '/acme/-/members/invite', {
      email,
      role: 'member',
    })
  await invite('nobody@example.com')
  const page = await owner.open('/acme/-/members')
  expect((await owner.press(page.html, '/acme/-/members/invite/revoke', {})).status).toBe(303)
  await invite('out@example.com')
  const [path = ''] = linkIn(
    (await sentMails(forge)).find(({ to }) => to === 'out@example.com')?.text,
  ).split('?')
  const asked = await outsider.open(path)
  expect((await outsider.press(asked.html, path, { decision: 'decline' })).location).toBe('/')
  const html = (await owner.open('/acme/-/members')).html
  expect([html.includes('Withdrawn'), html.includes('Declined'), html.includes('Pending')]).toEqual(
    [true, true, false],
  )
})

test('a team is created, filled, given a role, configured and deleted; a secret one is a 404 for others', async () => {
  const { owner, member, visitor, outsider } = await setUp()
  for (const other of [outsider, visitor])
    expect((await other.open('/acme/-/teams')).status).toBeGreaterThan(299)
  const made = await member.press(
    (await member.open('/acme/-/new-team')).html,
    '/acme/-/new-team',
    { name: 'Core', description: 'All of it' },
  )
  expect(made.location).toBe('/acme/-/teams/core')
  const taken = await member.press(
    (await member.open('/acme/-/new-team')).html,
    '/acme/-/new-team',
    { name: 'core', secret: 'true' },
  )
  expect([taken.status, taken.html.includes('value="core"')]).toEqual([422, true])
  const page = await member.open('/acme/-/teams/core')
  expect(
    (await member.press(page.html, '/acme/-/teams/core/repos', { repo: 'acme/site', role: 'read' }))
      .status,
  ).toBe(422)
  const unknown = await member.press(page.html, '/acme/-/teams/core/members', {
    username: 'nobody',
    role: null,
  })
  expect([unknown.status, unknown.html.includes('nobody does not belong')]).toEqual([422, true])
  expect(
    (
      await owner.press((await owner.open('/acme/-/teams/core')).html, '/acme/-/teams/core/repos', {
        repo: 'acme/site',
        role: 'read',
      })
    ).status,
  ).toBe(303)
  expect((await member.open('/acme/-/teams/core')).html).toContain('acme/site')
  const settings = await member.open('/acme/-/teams/core/settings')
  const rules = {
    algorithm: 'load_balance',
    count: '3',
    busy_at: '7',
    excluded: 'bob ada',
    enabled: 'true',
  }
  expect(
    (await member.press(settings.html, '/acme/-/teams/core/settings/reviews', rules)).status,
  ).toBe(303)
  expect((await member.open('/acme/-/teams/core')).html).toContain('Picks 3 by load')
  expect(
    (
      await member.press(settings.html, '/acme/-/teams/core/settings/reviews', {
        ...rules,
        count: '11',
      })
    ).status,
  ).toBe(422)
  expect(
    (
      await owner.press((await owner.open('/acme/-/new-team')).html, '/acme/-/new-team', {
        name: 'Shadow',
        secret: 'true',
      })
    ).status,
  ).toBe(303)
  expect([
    (await member.open('/acme/-/teams')).html.includes('Shadow'),
    (await member.open('/acme/-/teams/shadow')).status,
    (await member.open('/acme/-/teams/shadow/settings')).status,
  ]).toEqual([false, 404, 404])
  expect((await member.press(settings.html, '/acme/-/teams/core/delete', {})).location).toBe(
    '/acme/-/teams',
  )
  expect((await member.open('/acme/-/teams/core')).status).toBe(404)
})

test('collaborators are added, changed, removed and invited by admins only', async () => {
  const { owner, member, outsider, forge } = await setUp()
  const path = '/acme/site/settings/collaborators'
  expect((await member.open(path)).status).toBe(404)
  const page = await owner.open(path)
  const unknown = await owner.press(page.html, path, { invitee: 'nobody', role: 'read' })
  expect([unknown.status, unknown.html.includes('There is no person nobody')]).toEqual([422, true])
  expect((await owner.press(page.html, path, { invitee: 'bob', role: 'maintain' })).status).toBe(
    303,
  )
  const lowered = await owner.press((await owner.open(path)).html, `${path}/role`, { role: 'read' })
  expect([lowered.status, lowered.html.includes('from the base permission of acme')]).toEqual([
    422,
    true,
  ])
  expect((await owner.press(page.html, path, { invitee: 'out', role: 'triage' })).status).toBe(303)
  const listed = await owner.open(path)
  expect([listed.html.includes('Pending'), listed.html.includes('given here')]).toEqual([
    true,
    true,
  ])
  const [invitation = ''] = linkIn((await sentMails(forge)).at(-1)?.text).split('?')
  const asked = await outsider.open(invitation)
  expect((await outsider.press(asked.html, invitation, { decision: 'accept' })).location).toBe(
    '/acme/site',
  )
  expect((await outsider.open('/')).html).toContain('acme/site')
  expect((await owner.open('/acme/-/members')).html).toContain('Outside collaborators')
  expect(
    (await owner.press((await owner.open(path)).html, `${path}/remove`, { username: 'out' }))
      .status,
  ).toBe(303)
  expect((await outsider.open('/acme/site')).status).toBe(404)
})

test('reviewers are requested and cancelled in the side panel', async () => {
  const { forge, ada, owner } = await setUp()
  await forge.commit('acme/site', 'topic', { 'b.txt': 'b' })
  const { pull } = await forge.call(createPull, ada, {
    repo: 'acme/site',
    title: 'A change',
    branch: 'topic',
  })
  const here = `/acme/site/pull/${pull.number}`
  const page = await owner.open(here)
  expect(page.html).toContain('No reviewers')
  const own = await owner.press(page.html, `${here}/reviewers`, { reviewers: 'bob ada' })
  expect([
    own.status,
    own.html.includes('who cannot review it'),
    own.html.includes('name="reviewers" type="text" value="ada"'),
  ]).toEqual([422, true, true])
  expect((await owner.press(page.html, `${here}/reviewers`, { reviewers: '@bob' })).status).toBe(
    303,
  )
  const asked = await owner.open(here)
  expect([
    asked.html.includes('Cancel the review request to bob'),
    asked.html.includes('No reviewers'),
  ]).toEqual([true, false])
  expect((await owner.press(asked.html, `${here}/reviewers/cancel`, {})).status).toBe(303)
  expect((await owner.open(here)).html).toContain('No reviewers')
})

test('a workspace is renamed, its old addresses redirect, and it is deleted only when empty', async () => {
  const { forge, owner, member, outsider, visitor, out, acme } = await setUp()
  const settings = await owner.open('/acme/-/settings')
  expect((await member.open('/acme/-/settings')).html).not.toContain('Danger zone')
  const taken = await owner.press(settings.html, '/acme/-/settings/rename', { slug: 'bob' })
  expect([taken.status, taken.html.includes('The name bob is taken')]).toEqual([422, true])
  expect(
    (await owner.press(settings.html, '/acme/-/settings/rename', { slug: 'bakery' })).location,
  ).toBe('/bakery/-/settings')
  for (const path of ['', '/-/teams', '/-/members?page=2', '/site', '/site/issues']) {
    const old = await member.open(`/acme${path}`)
    expect([path, old.status, old.location]).toEqual([path, 301, `/bakery${path}`])
  }
  for (const other of [outsider, visitor]) expect((await other.open('/acme')).status).toBe(404)
  await forge.write((tx) =>
    addMember(tx, { workspace_id: acme.id, user_id: out.id, role: 'owner' }),
  )
  const refused = await owner.press(
    (await owner.open('/bakery/-/settings')).html,
    '/bakery/-/settings/delete',
    { confirm: 'bakery' },
  )
  expect([refused.status, refused.html.includes('transfer or purge them first')]).toEqual([
    422,
    true,
  ])
  await forge.write((tx) => tx.db.run('DELETE FROM repos'))
  expect(
    (
      await owner.press(
        (
          await owner.open('/bakery/-/settings')
        ).html,
        '/bakery/-/settings/delete',
        { confirm: 'bakery' },
      )
    ).location,
  ).toBe('/')
  expect((await owner.open('/bakery')).status).toBe(404)
})
