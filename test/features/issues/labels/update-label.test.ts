import { describe, expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { updateLabel } from '#features/issues/labels/update-label.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, as, issue } = await makeIssueWorld()
const repo = 'acme/site'

describe('update_label', () => {
  test('a renamed label stays on its issues', async () => {
    const number = await issue({ labels: ['docs'] })
    expect(
      await world.call(updateLabel, as('triage'), {
        repo,
        label: 'DOCS',
        name: 'manual',
        color: '00ff00',
      }),
    ).toMatchObject({ name: 'manual', color: '00ff00', issues_count: 1 })
    expect((await world.call(getIssue, ada, { repo, number })).issue.labels).toEqual(['manual'])
    expect((await world.call(listIssues, ada, { repo, label: 'manual' })).items).toHaveLength(1)
    expect(
      await world.call(updateLabel, ada, {
        repo,
        label: 'manual',
        name: 'Manual',
        description: null,
      }),
    ).toMatchObject({ name: 'Manual', color: '00ff00', description: null })
  })

  test('refuses the name of another, an unknown label and those below triage', async () => {
    expect(
      await refusal(world.call(updateLabel, ada, { repo, label: 'bug', name: 'FEATURE' })),
    ).toMatchObject({ status: 409, reason: 'already_exists' })
    expect(
      await refusal(world.call(updateLabel, ada, { repo, label: 'no such', name: 'x' })),
    ).toMatchObject({ status: 404 })
    expect(
      await refusal(world.call(updateLabel, as('read'), { repo, label: 'bug', name: 'x' })),
    ).toMatchObject({ status: 403, reason: 'role' })
  })
})
