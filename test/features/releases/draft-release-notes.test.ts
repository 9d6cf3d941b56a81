import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { draftReleaseNotes } from '#features/releases/draft-release-notes.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import type { SignedIn } from '#core/caller.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

async function makeMerged() {
  const all = await makeReleaseWorld()
  const { world, ada } = all
  await world.call(updateRepoSettings, ada, { repo, required_approvals: 0 } as never)
  let at = 0
  const merge = async (title: string, labels: string[], by: SignedIn) => {
    const branch = `change-${++at}`
    const { readRef, repoByPath, moveRefs, prepareUpdates } = await import(
      '#features/repos/index.ts'
    )
    const row = repoByPath(world.hearth.db, repo)
    if (!row) throw new Error('no repository')
    const tip = readRef(world.hearth.db, row.id, 'refs/heads/main')
    const updates = await prepareUpdates(world.hearth, row, [
      { name: `refs/heads/${branch}`, old: null, new: tip ?? '' },
    ])
    await world.write((tx) => moveRefs(tx, row, updates), ada)
    await world.commit(repo, branch, { [`file-${at}`]: title }, { message: title })
    const { pull } = await world.call(createPull, by, {
      repo,
      title,
      branch,
      base: 'main',
      draft: false,
    } as never)
    if (labels.length > 0)
      await world.call(updatePull, ada, { repo, number: pull.number, labels } as never)
    await world.jobs()
    await world.call(mergePull, ada, { repo, number: pull.number } as never)
    return pull.number
  }
  return { ...all, merge }
}

test('groups what was merged since the last release by its labels, with who did it, and begins after the release before', async () => {
  const { world, ada, otto, mel, rita, release, merge } = await makeMerged()
  const early = await merge('Long ago', [], otto)
  await release('v1.0')
  const bug = await merge('Mend <script>alert(1)</script> @everyone', ['bug'], otto)
  const feature = await merge('Bake bread', ['feature'], mel)
  const other = await merge('Tidy up', [], mel)
  await world.commit(repo, 'main', { direct: 'x' }, { message: 'Straight to main\n\nBody' })
  const { name, body } = await world.call(draftReleaseNotes, otto, { repo, tag_name: 'v1.1' })
  expect(name).toBe('v1.1')
  const link = (number: number) => `[#${number}](https://hearth.test/acme/site/pull/${number})`
  expect(body.split('\n').map((line) => line.replace(/\(\[[0-9a-f]{7}\].*/, '(commit)'))).toEqual([
    '## Features',
    '',
    `- Bake bread by @mel in ${link(feature)}`,
    '',
    '## Fixes',
    '',
    `- Mend \\<script\\>alert\\(1\\)\\</script\\> @\u200beveryone by @otto in ${link(bug)}`,
    '',
    '## Other changes',
    '',
    `- Tidy up by @mel in ${link(other)}`,
    '',
    '## Commits without a pull request',
    '',
    '- Straight to main (commit)',
    '',
    '## Contributors',
    '',
    '- @otto',
    '- @mel, for the first time',
    '',
    '[All changes since v1.0](https://hearth.test/acme/site/compare/v1.0...v1.1)',
  ])
  expect(body).not.toContain(`#${early}]`)
  // It keeps nothing, and is for those with Write.
  expect(
    await refusal(world.call(draftReleaseNotes, rita, { repo, tag_name: 'v1.1' })),
  ).toMatchObject({ reason: 'role' })
  expect(
    await refusal(
      world.call(draftReleaseNotes, otto, { repo, tag_name: 'v1.1', previous_tag: 'v0' }),
    ),
  ).toMatchObject({ code: 'not_found', field: 'previous_tag' })
  const made = await release('v1.1', { generate_notes: true, body: 'In short: bread.' })
  expect([made.notes_generated, made.body]).toEqual([true, `In short: bread.\n\n${body}`])
  // Text by others than those with Write is marked as such.
  let marked: readonly string[] = []
  await world.call(
    draftReleaseNotes,
    ada,
    { repo, tag_name: 'v2', previous_tag: 'v1.1' },
    { untrusted: (pointers) => void (marked = pointers) },
  )
  expect(marked).toEqual(['/body'])
}, 120_000)

test('those who follow releases are told when one comes out, the timeline leads to it, and a draft tells nobody', async () => {
  const { world, otto, rita, release } = await makeReleaseWorld()
  await world.call(setSubscription, rita, { repo, level: 'releases' })
  await release('v1', { draft: true }, otto)
  await world.jobs()
  expect((await world.call(listNotifications, rita, {})).items).toEqual([])
  const out = await release('v2', { name: 'Two' }, otto)
  await world.jobs()
  const { items } = await world.call(listNotifications, rita, {})
  expect(items).toMatchObject([
    {
      reason: 'subscribed',
      unread: true,
      subject: { kind: 'release', title: 'otto published the release Two (v2)', url: out.html_url },
    },
  ])
  expect((await world.call(listNotifications, otto, {})).items).toEqual([])
  const [event] = (
    await world.call(listEvents, anonymous, { repo, types: ['release.published'] } as never)
  ).items
  expect(event).toMatchObject({
    type: 'release.published',
    url: out.html_url,
    summary: 'otto published the release Two (v2)',
    data: { release: out.id, tag_name: 'v2' },
  })
  const [tag] = (await world.call(listTags, anonymous, { repo })).items
  expect([tag?.name, tag?.release]).toEqual(['v2', out.id])
})
