import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { listLabels } from '#features/issues/labels/list-labels.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, mel, otto, as, issue, pull, agent, count, row } = await makeIssueWorld()
const open = (caller: typeof ada, input: object = {}, repo = 'acme/site') =>
  world.call(createIssue, caller, { repo, title: 'It is broken', ...input })

describe('an issue', () => {
  test('has everything it was given', async () => {
    const milestone = await world.call(createMilestone, ada, {
      repo: 'acme/site',
      title: 'First release',
      due_on: '2026-04-01T02:00:00+02:00',
    })
    const first = await issue()
    const made = await open(ada, {
      title: '  The door squeaks ',
      body: '# Why\n\nOil.',
      labels: ['question', 'Bug', 'bug'],
      checks: ['make test', 'make lint'],
      assignees: ['mel', '@ada'],
      milestone: 'first RELEASE',
      blocked_by: [first, first],
    })
    expect(made).toMatchObject({
      repo: 'acme/site',
      title: 'The door squeaks',
      body: '# Why\n\nOil.',
      labels: ['bug', 'question'],
      checks: ['make test', 'make lint'],
      milestone: {
        id: milestone.id,
        title: 'First release',
        due_on: '2026-04-01T00:00:00.000Z',
        state: 'open',
      },
      blocked_by: [first],
      state: 'open',
      reason: null,
      resolved_by: null,
      comments_count: 0,
      pulls: [],
      locked: false,
      lock_reason: null,
      closed_at: null,
      closed_by: null,
      author: { kind: 'user', username: 'ada', on_behalf_of: null },
      html_url: `https://hearth.test/acme/site/issues/${made.number}`,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    })
    expect(made.id).toStartWith('iss_')
    expect(made.assignees.map(({ username, kind }) => [username, kind])).toEqual([
      ['mel', 'user'],
      ['ada', 'user'],
    ])
    const [opened, assigned, ...more] = world
      .events()
      .filter((event) => event.data.number === made.number)
    expect(opened).toMatchObject({
      type: 'issue.opened',
      actor_id: ada.id,
      data: { number: made.number },
    })
    expect(assigned).toMatchObject({
      type: 'issue.assigned',
      data: { number: made.number, assignees: ['mel', 'ada'] },
    })
    expect(more).toEqual([])
  })

  test('takes its number from the row that pull requests share', async () => {
    const before = await issue()
    expect(await pull()).toBe(before + 1)
    expect(await issue()).toBe(before + 2)
  })

  test('is counted in the record of the repository', async () => {
    const counted = () => world.call(getRepo, ada, { repo: 'acme/site' })
    const { open_issues_count, open_pulls_count } = await counted()
    await issue()
    await pull()
    expect(await counted()).toMatchObject({
      open_issues_count: open_issues_count + 1,
      open_pulls_count: open_pulls_count + 1,
    })
  })

  test('may be opened by anyone who sees a public repository, by an agent and by a workspace', async () => {
    expect((await open(otto)).author.username).toBe('otto')
    const bot = await agent(mel)
    const byAgent = await world.call(createIssue, bot, { repo: 'acme/site', title: 'By a bot' })
    expect(byAgent.author).toMatchObject({
      kind: 'agent',
      username: 'mel/bot',
      on_behalf_of: { id: mel.id, username: 'mel' },
    })
    const token = workspaceCaller(
      { id: row('acme/site').workspace_id, slug: 'acme' },
      { scopes: ['issues:write'] },
    )
    expect(
      (await world.call(createIssue, token, { repo: 'acme/site', title: 'By the workspace' }))
        .author,
    ).toMatchObject({ kind: 'workspace', username: 'acme' })
  })

  test('keeps a title of 256 characters of any script, and refuses one more', async () => {
    const title = '\u{1F600}'.repeat(256)
    expect((await open(ada, { title })).title).toBe(title)
    expect(await refusal(open(ada, { title: `${title}a` }))).toMatchObject({
      code: 'invalid',
      field: 'title',
    })
  })
})

describe('labels named on an issue', () => {
  test('that do not exist are made by those with triage, in one colour for one name', async () => {
    await open(as('triage'), { labels: ['Über wichtig'] })
    await world.repo('acme/other', { as: ada })
    await open(ada, { labels: ['ÜBER WICHTIG'] }, 'acme/other')
    const color = async (repo: string) =>
      (await world.call(listLabels, ada, { repo })).items.find(
        ({ name }) => name.toLowerCase() === 'über wichtig',
      )?.color
    expect(await color('acme/site')).toMatch(/^[0-9a-f]{6}$/)
    expect(await color('acme/other')).toBe(await color('acme/site'))
    await open(ada, { labels: ['über WICHTIG'] })
    expect(
      (await world.call(listLabels, ada, { repo: 'acme/site' })).items.filter(
        ({ name }) => name.toLowerCase() === 'über wichtig',
      ),
    ).toHaveLength(1)
  })

  test('that do not exist are refused to others, and nothing is left behind', async () => {
    const before = [count('issues'), count('records'), count('labels'), world.events().length]
    expect(await refusal(open(otto, { labels: ['bug', 'brand new'] }))).toMatchObject({
      code: 'invalid',
      field: 'labels',
    })
    expect([count('issues'), count('records'), count('labels'), world.events().length]).toEqual(
      before,
    )
    expect((await open(otto, { labels: ['bug'] })).labels).toEqual(['bug'])
  })

  test('may not have commas, line breaks or more than 50 characters', async () => {
    for (const name of ['a,b', 'a\nb', ' ', 'x'.repeat(51)]) {
      expect(await refusal(open(ada, { labels: [name] }))).toMatchObject({
        code: 'invalid',
        status: 422,
      })
    }
  })
})

describe('assignees', () => {
  const assign = (caller: typeof ada, assignees: string[], repo = 'acme/site') =>
    open(caller, { assignees }, repo)

  test('may be the author of an issue on a public repository, but no other outsider', async () => {
    expect((await assign(otto, ['otto'])).assignees).toHaveLength(1)
    expect(await refusal(assign(ada, ['otto']))).toMatchObject({
      code: 'invalid',
      field: 'assignees',
    })
  })

  test('are refused alike when unknown and when not assignable', async () => {
    const message = async (name: string) =>
      (await refusal(assign(ada, [name], 'acme/vault'))).message.replace(name, '')
    expect(await message('otto')).toBe(await message('nobody-at-all'))
  })

  test('may be an agent at work in the repository, until its token ends', async () => {
    await agent(mel, 'worker')
    expect((await assign(ada, ['mel/worker'])).assignees).toMatchObject([
      { kind: 'agent', username: 'mel/worker' },
    ])
    expect(await refusal(assign(ada, ['mel/worker'], 'acme/vault'))).toMatchObject({
      code: 'invalid',
      field: 'assignees',
    })
    expect(await refusal(assign(ada, ['mel/nobody']))).toMatchObject({
      code: 'invalid',
      field: 'assignees',
    })
    world.clock.advance(3_600_001)
    expect(await refusal(assign(ada, ['mel/worker']))).toMatchObject({
      code: 'invalid',
      field: 'assignees',
    })
  })

  test('cannot be the built-in agent while it has no model', async () => {
    expect(await refusal(assign(ada, ['agent']))).toMatchObject({
      code: 'conflict',
      reason: 'model_not_configured',
    })
  })

  test('are ten at most', async () => {
    expect(
      await refusal(
        assign(
          ada,
          Array.from({ length: 11 }, (_, at) => `p${at}`),
        ),
      ),
    ).toMatchObject({ code: 'invalid', field: 'assignees' })
  })
})

describe('is refused', () => {
  test('for input that is not as it must be', async () => {
    const bad: [object, string][] = [
      [{ title: '' }, 'title'],
      [{ title: '   ' }, 'title'],
      [{ title: 'a\nb' }, 'title'],
      [{ title: 'a\u2028b' }, 'title'],
      [{ title: 'a\u0007b' }, 'title'],
      [{ body: 'x'.repeat(65_537) }, 'body'],
      [{ body: 'a\0b' }, 'body'],
      [{ checks: Array(21).fill('true') }, 'checks'],
      [{ checks: [''] }, 'checks[0]'],
      [{ checks: ['ok', '  '] }, 'checks[1]'],
      [{ checks: ['x'.repeat(1001)] }, 'checks[0]'],
      [{ milestone: 'no such' }, 'milestone'],
      [{ blocked_by: [999_999] }, 'blocked_by'],
      [{ blocked_by: [0] }, 'blocked_by[0]'],
    ]
    const before = [count('records'), world.events().length]
    for (const [input, field] of bad)
      expect(await refusal(open(ada, input))).toMatchObject({ status: 422, field })
    expect([count('records'), world.events().length]).toEqual(before)
    const number = await pull()
    expect(await refusal(open(ada, { blocked_by: [number] }))).toMatchObject({
      status: 422,
      field: 'blocked_by',
    })
    expect(
      await refusal(world.call(createIssue, ada, { repo: 'acme/site' } as never)),
    ).toMatchObject({ status: 422, field: 'title' })
  })

  test('to those who may not', async () => {
    expect(
      await refusal(world.call(createIssue, anonymous, { repo: 'acme/site', title: 'x' })),
    ).toMatchObject({ status: 401 })
    expect(await refusal(open(otto, {}, 'acme/vault'))).toMatchObject({ status: 404 })
    expect(await refusal(open(withToken(ada, { scopes: ['issues:read'] })))).toMatchObject({
      status: 403,
      reason: 'scope',
    })
    expect(await refusal(open(await world.user('newcomer', { verified: false })))).toMatchObject({
      status: 403,
      reason: 'email_unconfirmed',
    })
  })

  test('as the settings of the repository say', async () => {
    await world.repo('acme/strict', { as: ada })
    const reader = as('read')
    const allow = async (issues_from: 'anyone' | 'collaborators' | 'members' | 'nobody') =>
      void (await world.call(updateRepoSettings, ada, { repo: 'acme/strict', issues_from }))
    for (const [from, outsider, member] of [
      ['anyone', true, true],
      ['collaborators', false, true],
      ['members', false, true],
      ['nobody', false, false],
    ] as const) {
      await allow(from)
      for (const [caller, may] of [
        [otto, outsider],
        [reader, member],
      ] as const) {
        const answer = open(caller, {}, 'acme/strict')
        if (may) expect((await answer).number).toBeGreaterThan(0)
        else
          expect(await refusal(answer)).toMatchObject({
            status: 403,
            reason: 'contributions_closed',
          })
      }
      expect((await open(mel, {}, 'acme/strict')).number).toBeGreaterThan(0)
    }
    await world.call(updateRepoSettings, ada, { repo: 'acme/strict', issues_enabled: false })
    expect(await refusal(open(ada, {}, 'acme/strict'))).toMatchObject({
      status: 403,
      reason: 'contributions_closed',
    })
  })
})
