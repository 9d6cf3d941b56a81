/**
 * The pages of the merge queue, as browsers without a script use them, and what tells a script of
 * changes.
 */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getMergeQueue } from '#features/queue/get-merge-queue.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  const numbers: number[] = []
  for (const name of ['one', 'two']) {
    const tip = await forge.commit(REPO, 'main', { [`${name}-base.txt`]: name })
    const { moveRefs, prepareUpdates, repoByPath } = await import('#features/repos/index.ts')
    const repo = repoByPath(forge.hearth.db, REPO)
    if (!repo) throw new Error('no repository')
    const prepared = await prepareUpdates(forge.hearth, repo, [
      { name: `refs/heads/${name}`, old: null, new: tip },
    ])
    await forge.write((tx) => moveRefs(tx, repo, prepared), ada)
    await forge.commit(REPO, name, { [`${name}.txt`]: `${name}\n` })
    numbers.push(
      (await forge.call(createPull, ada, { repo: REPO, title: `Add <${name}>`, branch: name })).pull
        .number,
    )
  }
  return {
    forge,
    ada,
    numbers,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

test('merging queues pull requests, which are moved, removed and, once resumed, merged', async () => {
  const { forge, ada, numbers, browser, member, visitor } = await setUp()
  const [one = 0, two = 0] = numbers
  const queue = `/${REPO}/queue`
  expect((await browser.open(`/${REPO}`)).html).not.toContain(`href="${queue}"`)
  expect((await browser.open(queue)).html).toContain('Merging does not go through the queue')
  const settings = (await browser.open(`/${REPO}/settings`)).html
  expect(
    (
      await browser.press(settings, `/${REPO}/settings/pulls`, {
        merge_queue: 'true',
        queue_slots: '5',
        default_merge_method: 'merge',
      })
    ).status,
  ).toBe(303)
  expect((await browser.open(`/${REPO}`)).html).toContain(`href="${queue}"`)

  const empty = (await browser.open(queue)).html
  expect(empty).toContain('The queue is empty')
  expect((await browser.press(empty, `${queue}/pause`, { reason: '' })).status).toBe(422)
  expect(
    (await browser.press(empty, `${queue}/pause`, { reason: 'The <deploy> is stuck' })).location,
  ).toBe(queue)
  for (const number of [one, two]) {
    const pull = (await browser.open(`/${REPO}/pull/${number}`)).html
    expect(pull).toContain('Add to the merge queue')
    const sent = await browser.press(pull, `/${REPO}/pull/${number}/merge`, {})
    expect(sent.location).toBe(`/${REPO}/pull/${number}`)
  }
  await forge.jobs()
  const waiting = (await browser.open(queue)).html
  expect(waiting).toContain('The &lt;deploy&gt; is stuck')
  expect(waiting).toContain('Add &lt;one&gt;')
  expect(waiting.indexOf('Add &lt;one&gt;')).toBeLessThan(waiting.indexOf('Add &lt;two&gt;'))
  expect((await browser.open(`/${REPO}/pull/${two}`)).html).toContain('It is at position 2')

  // Who only looks has no buttons, and cannot use them anyway.
  const seen = await visitor.open(queue)
  expect([
    seen.status,
    seen.html.includes('/queue/leave'),
    seen.html.includes('/queue/pause'),
  ]).toEqual([200, false, false])
  const asMember = (await member.open(queue)).html
  expect([asMember.includes('/queue/leave'), asMember.includes('/queue/move')]).toEqual([
    true,
    false,
  ])

  expect(
    (await browser.press(waiting, `${queue}/move`, { number: String(two), position: '1' }))
      .location,
  ).toBe(queue)
  const order = async () =>
    (await forge.call(getMergeQueue, ada, { repo: REPO })).waiting.map(({ pull }) => pull.number)
  expect(await order()).toEqual([two, one])
  const taken = (await browser.open(`/${REPO}/pull/${one}`)).html
  expect((await browser.press(taken, `/${REPO}/pull/${one}/leave-queue`, {})).location).toBe(
    `/${REPO}/pull/${one}`,
  )
  expect(await order()).toEqual([two])
  const again = (await browser.open(queue)).html
  expect(again).toContain('removed: it was taken out')
  expect((await browser.press(again, `${queue}/resume`, {})).location).toBe(queue)
  await forge.jobs()
  const done = (await browser.open(queue)).html
  expect([done.includes('The queue is empty'), done.includes('landed as')]).toEqual([true, true])
  expect((await browser.open(`/${REPO}/pull/${two}`)).html).toContain('Merged')
})

test('an open page hears of changes, and of nothing else', async () => {
  const { forge, ada } = await setUp()
  await forge.call(updateRepoSettings, ada, { repo: REPO, merge_queue: true })
  const browser = await forge.browser('ada')
  const { html } = await browser.open(`/${REPO}/queue`)
  const address = /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const stream = await forge.get(address, { cookie: 'hearth=ada-cookie' })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const reader = stream.body?.getReader()
  const said: string[] = []
  const reading = (async () => {
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) return
      said.push(new TextDecoder().decode(part.value))
    }
  })()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(said.join('')).not.toContain('changed')
  await forge.call(updateRepoSettings, ada, { repo: REPO, merge_queue: false })
  await reading
  expect(said.join('')).toContain('event: changed')
})
