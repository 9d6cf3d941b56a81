import { describe, expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { purgeRepo } from '#features/repos/lifecycle/purge-repo.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { deleteWorkspace } from '#features/workspaces/delete-workspace.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { listWebhooks } from '#features/webhooks/list-webhooks.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { findEvent } from '#core/events.ts'
import { writeAs } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import { DAY, SECOND } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeHookWorld } from './fixture.ts'

describe('what is sent', () => {
  test('is the event as the timeline has it, without what is only for people, and as it was when it happened', async () => {
    const { world, ada, hook, at } = await makeHookWorld()
    await hook({ events: ['issue.closed'] })
    const issue = await world.call(createIssue, ada, { repo: 'acme/site', title: 'x' })
    await world.call(closeIssue, ada, {
      repo: 'acme/site',
      number: issue.number,
      reason: 'not_planned',
    })
    await world.call(renameRepo, ada, { repo: 'acme/site', name: 'page' })
    await world.jobs()
    const sent = at.messages().at(-1)
    const { summary, url, ...shown } =
      (await world.call(listEvents, ada, { repo: 'acme/page', types: ['issue.closed'] }))
        .items[0] ?? {}
    expect([typeof summary, typeof url]).toEqual(['string', 'string'])
    expect(sent).toEqual({
      ...(shown as unknown as typeof sent),
      repository: { id: sent?.repository?.id ?? '', full_name: 'acme/site' },
    } as never)
    expect(sent?.data).toEqual({ number: issue.number, reason: 'not_planned', resolved_by: null })
  })

  test('every type of event carries the fields that it declares', async () => {
    const { world, ada, hook, at } = await makeHookWorld()
    await hook()
    await hook({ workspace: 'acme' })
    await world.commit('acme/site', 'main', { 'a.txt': 'a' })
    await world.commit('acme/site', 'topic', { 'b.txt': 'b' })
    await world.call(createPull, ada, { repo: 'acme/site', title: 'A pull', branch: 'topic' })
    await world.jobs()
    const types = new Set(at.types())
    for (const type of ['ping', 'git.push', 'pull.opened'])
      expect([type, types.has(type)]).toEqual([type, true])
    for (const { type, data } of at.messages()) {
      const declared = Object.keys(
        world.hearth.eventTypes.get(type ?? '')?.data.properties ?? {},
      ).sort()
      expect([type, Object.keys(data).sort()]).toEqual([type, declared])
    }
  })

  test('a change that is undone is not sent', async () => {
    const { world, repo, hook, db } = await makeHookWorld()
    await hook()
    await world.jobs()
    const { repoUpdated } = await import('#features/repos/index.ts')
    const before = db.all('SELECT id FROM webhook_deliveries').length
    const undone = writeAs(world.hearth, null, (tx) => {
      tx.append(repoUpdated, { workspace_id: repo.id, repo_id: repo.id }, { changed: ['topics'] })
      throw new Refusal('conflict', 'no')
    })
    expect((await refusal(undone)).code).toBe('conflict')
    expect(db.all('SELECT id FROM webhook_deliveries').length).toBe(before)
  })
})

describe('who hears', () => {
  test('webhooks of the repository and of its workspace, of what they chose; private ones too', async () => {
    const { world, ada, hook, at } = await makeHookWorld()
    await world.repo('acme/hidden', { private: true })
    await world.workspace('other', { owner: ada })
    await world.repo('other/far')
    await world.jobs()
    const own = await hook({ url: at.url('/200/own'), events: ['issue.opened'] })
    await hook({ url: at.url('/200/closed'), events: ['issue.closed'] })
    await hook({ workspace: 'acme', url: at.url('/200/all') })
    for (const repo of ['acme/site', 'acme/hidden', 'other/far'])
      await world.call(createIssue, ada, { repo, title: 'x' })
    await world.jobs()
    const heard = (path: string) =>
      at.got.flatMap(({ path: to, body }, index) =>
        to === path && !body.includes('"ping"')
          ? [`${at.messages()[index]?.type} ${at.messages()[index]?.repository?.full_name}`]
          : [],
      )
    expect(heard('/200/own')).toEqual(['issue.opened acme/site'])
    expect(heard('/200/closed')).toEqual([])
    expect(heard('/200/all').sort()).toEqual(['issue.opened acme/hidden', 'issue.opened acme/site'])
    // One event is one id, with a delivery for each.
    const ids = at
      .messages()
      .flatMap((message) =>
        message.type === 'issue.opened' && message.repository?.full_name === 'acme/site'
          ? [message.id]
          : [],
      )
    expect([ids.length, new Set(ids).size, findEvent(world.hearth.db, ids[0] ?? '')?.type]).toEqual(
      [2, 1, 'issue.opened'],
    )
    expect(new Set(at.got.map(({ headers }) => headers.get('x-svc-delivery'))).size).toBe(
      at.got.length,
    )
    expect(own.id).toMatch(/^whk_/)
  })

  test('a push to the fork of a pull request is told as the change of the pull request alone', async () => {
    const { world, hook, at } = await makeHookWorld()
    await world.commit('acme/site', 'main', { 'a.txt': 'a' })
    const out = await world.user('out')
    const { pull } = await world.call(createPull, out, { repo: 'acme/site', title: 'From outside' })
    await hook({ workspace: 'acme' })
    await hook()
    await world.commit(`acme/site/pull/${pull.number}`, 'main', { 'a.txt': 'b' }, { as: out })
    await world.jobs()
    expect(at.types().filter((type) => type !== 'ping' && type !== 'session.appended')).toEqual([
      'pull.updated',
      'pull.updated',
    ])
  })

  test('a repository takes its webhooks along; both workspaces hear of the move, and the old one of nothing more', async () => {
    const { world, ada, hook, at } = await makeHookWorld()
    await world.workspace('other', { owner: ada })
    const own = await hook({ url: at.url('/200/own') })
    await hook({ workspace: 'acme', url: at.url('/200/old') })
    await world.call(createWebhook, ada, { workspace: 'other', url: at.url('/200/new') })
    await world.jobs()
    await world.call(transferRepo, ada, { repo: 'acme/site', to: 'other' })
    await world.call(createIssue, ada, { repo: 'other/site', title: 'x' })
    await world.jobs()
    const told = (path: string) => at.types(path).filter((type) => type !== 'ping')
    expect(told('/200/old')).toEqual(['repo.transferred'])
    for (const path of ['/200/own', '/200/new'])
      expect(told(path).sort()).toEqual(['issue.opened', 'repo.transferred'])
    expect((await world.call(listWebhooks, ada, { repo: 'other/site' })).items[0]).toMatchObject({
      id: own.id,
      repository: 'other/site',
      workspace: 'other',
    })
  })

  test('the end of a repository reaches its own webhooks, which then go', async () => {
    const { world, ada, hook, at, db, after } = await makeHookWorld()
    await hook({ url: at.url('/200/own') })
    await hook({ workspace: 'acme', url: at.url('/200/all') })
    await world.call(deleteRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
    await world.call(purgeRepo, ada, { repo: 'acme/site', confirm: 'acme/site' })
    await world.jobs()
    expect((await refusal(world.call(getRepo, ada, { repo: 'acme/site' }))).code).toBe('not_found')
    for (const path of ['/200/own', '/200/all'])
      expect(at.types(path).sort()).toEqual(['ping', 'repo.deleted', 'repo.purged'])
    expect(at.messages().find(({ type }) => type === 'repo.purged')).toMatchObject({
      repository: { full_name: 'acme/site' },
      data: { full_name: 'acme/site' },
    })
    await world.hearth.jobs.start()
    await after(DAY)
    expect(db.all<{ url: string }>('SELECT url FROM webhooks').map(({ url }) => url)).toEqual([
      at.url('/200/all'),
    ])
  })
})

test('a workspace that is deleted takes its webhooks along', async () => {
  const { world, ada, at, db } = await makeHookWorld()
  await world.workspace('other', { owner: ada })
  await world.call(createWebhook, ada, { workspace: 'other', url: at.url('/500') })
  await world.jobs()
  await world.call(deleteWorkspace, ada, { workspace: 'other', confirm: 'other' })
  expect([db.all('SELECT 1 FROM webhooks'), db.all('SELECT 1 FROM webhook_deliveries')]).toEqual([
    [],
    [],
  ])
  world.clock.advance(DAY)
  await world.jobs()
  expect(at.got).toHaveLength(1)
})

test('a growing session is told at most once in ten seconds, and its last growth is never left out', async () => {
  const { world, ada, hook, at, after, clock } = await makeHookWorld()
  await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  await world.commit('acme/site', 'topic', { 'b.txt': 'b' })
  const { pull } = await world.call(createPull, ada, {
    repo: 'acme/site',
    title: 'A pull',
    branch: 'topic',
  })
  await hook({ events: ['session.appended'] })
  await world.jobs()
  let last = 0
  const told: { at: number; last_seq: number }[] = []
  const note = (): void => {
    const seqs = at
      .messages()
      .flatMap(({ type, data }) => (type === 'session.appended' ? [Number(data.last_seq)] : []))
    for (const last_seq of seqs.slice(told.length)) told.push({ at: clock.now(), last_seq })
  }
  for (let n = 0; n < 40; n++) {
    ;({ last_seq: last } = await world.call(appendSession, ada, {
      repo: 'acme/site',
      number: pull.number,
      entries: [{ kind: 'message', text: 'on it' }],
    }))
    await after(SECOND)
    note()
  }
  await after(60 * SECOND)
  note()
  expect(told.length).toBeGreaterThan(1)
  expect(told.at(-1)?.last_seq).toBe(last)
  for (const [index, one] of told.entries())
    if (index > 0) expect(one.at - (told[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(10 * SECOND)
})
