/** Who is told of what, and who is not. */
import { describe, expect, test } from 'bun:test'
import { event, type EventType } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import { addMember } from '#features/workspaces/index.ts'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { declineWorkspaceInvite } from '#features/workspaces/decline-workspace-invite.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { makePlan } from '#features/notifications/delivery/plan.ts'
import { deliverNotifications } from '#features/notifications/delivery/deliver-notifications.ts'
import { nextWork, setPlan, setDelivered } from '#features/notifications/delivery/store-work.ts'
import { recordSubject } from '#features/notifications/delivery/work.ts'
import type { Reason } from '#features/notifications/delivery/reasons.ts'
import { markNotification } from '#features/notifications/mark-notification.ts'
import { setIssueSubscription } from '#features/notifications/subscriptions/set-issue-subscription.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { typeId } from '#core/ids.ts'
import { recordActor } from '#features/accounts/index.ts'
import { agentOf } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

describe('mentions', () => {
  test('who is named hears of it, once, and nobody else', async () => {
    const { issue, comment, told, ada, mel, max, otto } = await makeNotificationWorld()
    const number = await issue(ada, {
      body: 'Look at this, @mel and @ada. @mel! `@max` and [@max](https://x.test)\n\n    @max\n\n> @max said',
    })
    expect(await told(mel)).toEqual([`mention #${number}`])
    expect(await told(ada)).toEqual([])
    expect(await told(max)).toEqual([])
    expect(await told(otto)).toEqual([])
    await comment(otto, number, 'And @max.')
    expect(await told(max)).toEqual([`mention #${number}`])
    // One for each subject, moved up.
    expect(await told(mel)).toEqual([`mention #${number}`])
    expect(await told(ada)).toEqual([`author #${number}`])
    expect(await told(otto)).toEqual([])
  })

  test('in a private repository only those who can read it are told, and nobody begins to hear of it by being let in later', async () => {
    const { world, issue, comment, told, ada, mel, otto, workspace, count } =
      await makeNotificationWorld()
    const number = await issue(ada, { body: '@otto @mel' }, 'acme/vault')
    expect(await told(mel)).toEqual([`mention #${number}`])
    expect(await told(otto)).toEqual([])
    expect(count('notifications')).toBe(1)
    await world.write((tx) =>
      addMember(tx, { workspace_id: workspace.id, user_id: otto.id, role: 'member' }),
    )
    await comment(ada, number, 'More of it.', 'acme/vault')
    expect(await told(otto)).toEqual([])
    await comment(ada, number, 'Now @otto may know.', 'acme/vault')
    expect(await told(otto)).toEqual([`mention #${number}`])
  })

  test('who loses sight of a repository does not see what they were told before either', async () => {
    const { world, hearth, issue, told, ada, mel, otto } = await makeNotificationWorld()
    const number = await issue(ada, { body: '@otto @mel' })
    expect(await told(otto)).toEqual([`mention #${number}`])
    const [before] = (await world.call(listNotifications, otto, {})).items
    await world.call(setRepoVisibility, ada, {
      repo: 'acme/site',
      private: true,
      confirm: 'acme/site',
    })
    expect(await told(otto)).toEqual([])
    await expect(
      world.call(markNotification, otto, { id: before?.id ?? '', state: 'read' }),
    ).rejects.toThrow('does not exist')
    const { countUnread } = await import('#features/notifications/index.ts')
    expect(countUnread(hearth, otto)).toBe(0)
    expect(countUnread(hearth, mel)).toBe(1)
    await world.call(removeMember, ada, { workspace: 'acme', username: 'mel' })
    expect(await told(mel)).toEqual([])
    expect(countUnread(hearth, mel)).toBe(0)
  })

  test('an edit tells only those whom it names newly', async () => {
    const { world, issue, comment, told, ada, mel, max } = await makeNotificationWorld()
    const number = await issue(ada)
    const id = await comment(ada, number, 'Ask @mel')
    const [first] = (await told(mel)) && (await world.call(listNotifications, mel, {})).items
    await world.call(markNotification, mel, { id: first?.id ?? '', state: 'done' })
    await world.call(updateComment, ada, { repo: 'acme/site', id, body: 'Ask @mel or @max' })
    expect(await told(mel)).toEqual([])
    expect(await told(max)).toEqual([`mention #${number}`])
    await world.call(updateIssue, ada, { repo: 'acme/site', number, body: 'Thanks @mel' })
    expect(await told(mel)).toEqual([`mention #${number}`])
    // Editing what is not text tells nobody.
    await world.call(markNotification, mel, { id: first?.id ?? '', state: 'done' })
    await world.call(updateIssue, ada, {
      repo: 'acme/site',
      number,
      title: 'Another title',
      labels: ['bug'],
    })
    expect(await told(mel)).toEqual([])
  })

  test('a team is told when whoever names it can see it, and when it wants to be', async () => {
    const { issue, team, told, ada, mel, max, otto } = await makeNotificationWorld()
    await team('core', [mel, max])
    await team('quiet', [max], { notify: false })
    await team('hidden', [max], { visibility: 'secret' })
    const first = await issue(mel, { body: '@acme/core' })
    expect(await told(max)).toEqual([`team_mention #${first}`])
    expect(await told(mel)).toEqual([])
    // Its maintainer is in it too.
    expect(await told(ada)).toEqual([`team_mention #${first}`])
    await issue(otto, { body: '@acme/core' })
    await issue(ada, { body: '@acme/quiet' })
    await issue(mel, { body: '@acme/hidden' })
    expect(await told(max)).toEqual([`team_mention #${first}`])
    const own = await issue(ada, { body: '@acme/hidden' })
    expect(await told(max)).toEqual([`team_mention #${own}`, `team_mention #${first}`])
  })
})

describe('taking part', () => {
  test('authors, commenters and the assigned hear how it goes on; nobody hears of their own act', async () => {
    const { world, issue, comment, told, ada, mel, max, otto } = await makeNotificationWorld()
    const number = await issue(otto)
    await comment(mel, number, 'I see it too.')
    await world.call(updateIssue, ada, { repo: 'acme/site', number, assignees: ['max', 'ada'] })
    expect(await told(max)).toEqual([`assigned #${number}`])
    expect(await told(ada)).toEqual([])
    expect(await told(otto)).toEqual([`author #${number}`])
    expect(await told(mel)).toEqual([])
    await world.call(closeIssue, max, { repo: 'acme/site', number })
    expect(await told(mel)).toEqual([`commented #${number}`])
    expect(await told(max)).toEqual([`assigned #${number}`])
    expect(await told(otto)).toEqual([`author #${number}`])
  })

  test('who is assigned with the issue is told once, and again only when assigned again', async () => {
    const { world, issue, told, ada, mel, count } = await makeNotificationWorld()
    const number = await issue(ada, { assignees: ['mel'], body: 'For @mel' })
    expect(count('notification_work')).toBe(1)
    expect(await told(mel)).toEqual([`assigned #${number}`])
    const assign = async (...assignees: string[]) =>
      void (await world.call(updateIssue, ada, { repo: 'acme/site', number, assignees }))
    const done = async () => {
      const [row] = (await world.call(listNotifications, mel, {})).items
      if (row) await world.call(markNotification, mel, { id: row.id, state: 'done' })
    }
    await done()
    await assign('mel', 'max')
    expect(await told(mel)).toEqual([])
    await assign('max')
    await assign('mel')
    expect(await told(mel)).toEqual([`assigned #${number}`])
  })

  test('levels: all tells of everything, ignored of nothing, and whoever said no to one thing hears no more of it', async () => {
    const { world, issue, comment, told, ada, mel, max, otto } = await makeNotificationWorld()
    await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })
    await world.call(setSubscription, max, { repo: 'acme/site', level: 'ignored' })
    await world.call(setSubscription, otto, { repo: 'acme/site', level: 'releases' })
    const number = await issue(ada, { body: '@max' })
    expect(await told(mel)).toEqual([`subscribed #${number}`])
    expect(await told(max)).toEqual([])
    expect(await told(otto)).toEqual([])
    await world.call(setIssueSubscription, mel, { repo: 'acme/site', number, subscribed: false })
    const [row] = (await world.call(listNotifications, mel, {})).items
    await world.call(markNotification, mel, { id: row?.id ?? '', state: 'done' })
    await comment(ada, number, 'More.')
    expect(await told(mel)).toEqual([])
    await comment(ada, number, 'Yet @mel must see this.')
    expect(await told(mel)).toEqual([`mention #${number}`])
    await world.call(setIssueSubscription, otto, { repo: 'acme/site', number, subscribed: true })
    await comment(ada, number, 'And more.')
    expect(await told(otto)).toEqual([`subscribed #${number}`])
  })

  test('a suspended person is told nothing', async () => {
    const { world, issue, ada, mel, count } = await makeNotificationWorld()
    await world.write(
      (tx) => void tx.db.run('UPDATE users SET suspended_at = ? WHERE id = ?', tx.now, mel.id),
    )
    await issue(ada, { body: '@mel' })
    await world.jobs()
    expect(count('notifications')).toBe(0)
    expect(count('notification_work')).toBe(0)
  })
})

describe('agents', () => {
  const withAgent = async () => {
    const made = await makeNotificationWorld()
    const id = typeId('agt', made.world.clock.now())
    await made.world.write((tx) =>
      recordActor(tx, {
        id,
        kind: 'agent',
        username: 'mel/bot',
        name: null,
        on_behalf_of: made.mel.id,
      }),
    )
    return { ...made, bot: agentOf(made.mel, made.site, { id }) }
  }

  test("what an agent does is its person's own act, and what is done to it reaches the person", async () => {
    const { issue, comment, told, world, mel, max, ada, bot } = await withAgent()
    const number = await issue(bot, { body: '@mel @max' })
    expect(await told(mel)).toEqual([])
    expect(await told(max)).toEqual([`mention #${number}`])
    await comment(ada, number, 'Why?')
    expect(await told(mel)).toEqual([`author #${number}`])
    expect((await world.call(listNotifications, bot, {})).items).toEqual([])
  })
})

/** Events of features that this one does not know, as they append them. */
const foreign = (type: string): EventType =>
  event(type, Type.Object({}, { additionalProperties: true }) as never, () => `${type} happened`)

describe('what others tell', () => {
  test('failed checks and a pull request that left the queue reach who is behind it', async () => {
    const { world, issue, told, ada, mel, max, site, workspace } = await makeNotificationWorld()
    const number = await issue(ada, { assignees: ['max'] })
    await told(max)
    const append = (type: string, data: Record<string, unknown>, actor_id: string | null = null) =>
      world.write(
        (tx) =>
          void tx.append(
            foreign(type),
            { workspace_id: workspace.id, repo_id: site.id },
            { number, ...data } as never,
            { actor_id },
          ),
      )
    await append('checks.completed', { status: 'passed', sha: 'a' })
    await append('queue.changed', { state: 'queued', entry: 'mqe_1' }, mel.id)
    expect(await told(ada)).toEqual([])
    await append('checks.completed', { status: 'failed', sha: 'a' })
    expect(await told(ada)).toEqual([`checks_failed #${number}`])
    expect(await told(max)).toEqual([`checks_failed #${number}`])
    expect(await told(mel)).toEqual([])
    await append('queue.changed', { state: 'failed', reason: 'checks_failed', entry: 'mqe_1' })
    expect(await told(mel)).toEqual([`queue_failed #${number}`])
    expect(await told(ada)).toEqual([`queue_failed #${number}`])
  })

  test('an alert reaches those who look after the repository, a release those who watch for it', async () => {
    const { world, told, ada, mel, max, otto, site, workspace } = await makeNotificationWorld()
    await world.call(setSubscription, otto, { repo: 'acme/site', level: 'releases' })
    await world.call(setSubscription, mel, { repo: 'acme/site', level: 'participating' })
    const append = (type: string, actor_id: string | null) =>
      world.write(
        (tx) =>
          void tx.append(
            foreign(type),
            { workspace_id: workspace.id, repo_id: site.id },
            {} as never,
            { actor_id },
          ),
      )
    await append('security.alert_opened', null)
    await append('release.published', max.id)
    expect(await told(ada)).toEqual(['security_alert alert'])
    expect(await told(otto)).toEqual(['subscribed release'])
    expect(await told(mel)).toEqual([])
    expect(await told(max)).toEqual([])
  })

  test('a version of a package reaches those who watch everything, once for a package', async () => {
    const { world, told, ada, mel, otto, max, site, workspace } = await makeNotificationWorld()
    await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })
    await world.call(setSubscription, otto, { repo: 'acme/site', level: 'releases' })
    const append = (id: string, version: string, release: boolean) =>
      world.write(
        (tx) =>
          void tx.append(
            foreign('package.published'),
            { workspace_id: workspace.id, repo_id: site.id },
            { package: { id, package_type: 'npm', name: '@acme/ui' }, version, release } as never,
            { actor_id: max.id },
          ),
      )
    await append('pkg_1', '1.0.0-rc.1', false)
    expect(await told(mel)).toEqual([])
    await append('pkg_1', '1.0.0', true)
    await append('pkg_1', '1.1.0', true)
    expect(await told(mel)).toEqual(['subscribed package'])
    const [first] = (await world.call(listNotifications, mel, {})).items
    expect(first?.subject.url).toEndWith('/acme/-/packages/npm/%40acme%2Fui')
    await append('pkg_2', '1.0.0', true)
    expect(await told(mel)).toEqual(['subscribed package', 'subscribed package'])
    expect([await told(ada), await told(otto), await told(max)]).toEqual([[], [], []])
  })

  test('an invitation is shown to whom it is for until it is answered', async () => {
    const { world, told, ada, mel, otto } = await makeNotificationWorld()
    const { id } = await world.call(inviteMember, ada, {
      workspace: 'acme',
      email: 'otto@example.com',
    })
    await world.call(addCollaborator, ada, { repo: 'acme/vault', invitee: 'otto', role: 'read' })
    expect(await told(otto)).toEqual(['invitation invitation', 'invitation invitation'])
    expect(await told(mel)).toEqual([])
    const [, first] = (await world.call(listNotifications, otto, {})).items
    expect(first).toMatchObject({
      repo: null,
      last_event: null,
      subject: {
        kind: 'invitation',
        id,
        title: 'ada invited you to acme',
        url: `https://hearth.test/invite/${id}`,
      },
    })
    await world.call(declineWorkspaceInvite, otto, { id })
    expect(await told(otto)).toEqual(['invitation invitation'])
  })
})

describe('nothing is lost and nothing is told twice', () => {
  test('work that was cut off goes on where it was', async () => {
    const { world, hearth, issue, ada, mel, max, otto, count, site } = await makeNotificationWorld()
    for (const person of [mel, max, otto])
      await world.call(setSubscription, person, { repo: 'acme/site', level: 'all' })
    await world.jobs()
    await hearth.jobs.stop()
    const number = await issue(ada)
    expect(count('notification_work')).toBe(1)
    // As a kill after the first person leaves it.
    const [row] = nextWork(hearth.db, [], 1)
    if (!row) throw new Error('nothing waits')
    const people = [mel, max, otto]
      .map(({ id }): [string, Reason] => [id, 'subscribed'])
      .sort(([a], [b]) => (a < b ? -1 : 1))
    await world.write((tx) => {
      setPlan(tx, row.seq, {
        about: recordSubject(site.id, number, 'issue'),
        events: row.data.kind === 'record' ? row.data.events : [],
        text_id: null,
        people,
      })
      setDelivered(tx, row.seq, people[0]?.[0] ?? '')
    })
    // A plan that is made a second time finds another there.
    await makePlan(hearth, row)
    await deliverNotifications.run(
      { hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_x' },
      null,
    )
    for (const person of [mel, max, otto]) {
      const told = (await world.call(listNotifications, person, {})).items.map(
        ({ subject }) => subject.number,
      )
      expect(told).toEqual(person.id === people[0]?.[0] ? [] : [number])
    }
    expect(count('notification_work')).toBe(0)
    await makePlan(hearth, row)
    expect(count('notifications')).toBe(2)
  })

  test('a job that is cut off by a stop is not done', async () => {
    const { world, hearth, issue, ada, mel, count } = await makeNotificationWorld()
    await hearth.jobs.stop()
    await issue(ada, { body: '@mel' })
    const context = (signal: AbortSignal) => ({ hearth, signal, attempt: 1, id: 'bgj_x' })
    await expect(deliverNotifications.run(context(AbortSignal.abort()), null)).rejects.toThrow()
    expect(count('notification_work')).toBe(1)
    await deliverNotifications.run(context(new AbortController().signal), null)
    expect((await world.call(listNotifications, mel, {})).items).toHaveLength(1)
    await deliverNotifications.run(context(AbortSignal.abort()), null)
  })

  test('whoever comments is subscribed before the next comment is told, however fast they follow each other', async () => {
    const { hearth, world, issue, comment, ada, mel, max } = await makeNotificationWorld()
    await hearth.jobs.stop()
    const number = await issue(ada)
    await comment(mel, number, 'One')
    await comment(max, number, 'Two')
    await deliverNotifications.run(
      { hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_x' },
      null,
    )
    expect(
      (await world.call(listNotifications, mel, {})).items.map(({ reason }) => reason),
    ).toEqual(['commented'])
    expect((await world.call(listNotifications, max, {})).items).toEqual([])
  })

  test('many watchers are told in several transactions, each once', async () => {
    const { world, issue, ada, count, site } = await makeNotificationWorld()
    await world.write((tx) => {
      for (let at = 0; at < 250; at++) {
        const id = typeId('usr', tx.now_ms)
        tx.db.run(
          'INSERT INTO actors (id, kind, username) VALUES (?, ?, ?)',
          id,
          'user',
          `person-${at}`,
        )
        tx.db.run(
          'INSERT INTO users (id, created_at, updated_at) VALUES (?, ?, ?)',
          id,
          tx.now,
          tx.now,
        )
        tx.db.run(
          'INSERT INTO emails (user_id, email, is_primary, created_at) VALUES (?, ?, 1, ?)',
          id,
          `p${at}@example.com`,
          tx.now,
        )
        tx.db.run(
          'INSERT INTO repo_subscriptions (repo_id, user_id, level, created_at) VALUES (?, ?, ?, ?)',
          site.id,
          id,
          'all',
          tx.now,
        )
      }
    })
    await issue(ada)
    await world.jobs()
    expect(count('notifications')).toBe(250)
    expect(count('notification_work')).toBe(0)
  })

  test('a piece of work that cannot be done is left aside and holds up nothing', async () => {
    const { world, issue, told, ada, mel, count } = await makeNotificationWorld()
    await world.write(
      (tx) => void tx.db.run(`INSERT INTO notification_work (data) VALUES ('{"kind":"record"}')`),
    )
    const number = await issue(ada, { body: '@mel' })
    expect(await told(mel)).toEqual([`mention #${number}`])
    expect(count('notification_work')).toBe(1)
    expect(
      world.hearth.db.one<{ tries: number }>('SELECT tries FROM notification_work')?.tries,
    ).toBe(1)
  })

  test('a change that is refused leaves nothing to tell', async () => {
    const { world, ada, count, site, workspace } = await makeNotificationWorld()
    const before = count('notification_work')
    const failing = world.write((tx) => {
      tx.append(
        foreign('security.alert_opened'),
        { workspace_id: workspace.id, repo_id: site.id },
        {} as never,
        { actor_id: ada.id },
      )
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(count('notification_work')).toBe(before)
  })
})
