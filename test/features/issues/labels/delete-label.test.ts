import { describe, expect, test } from 'bun:test'
import { deleteLabel } from '#features/issues/labels/delete-label.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, as, issue } = await makeIssueWorld()
const repo = 'acme/site'

describe('delete_label', () => {
  test('takes it off every issue', async () => {
    const number = await issue({ labels: ['security', 'bug'] })
    expect(
      await refusal(world.call(deleteLabel, as('read'), { repo, label: 'security' })),
    ).toMatchObject({ status: 403 })
    expect(await world.call(deleteLabel, as('triage'), { repo, label: 'Security' })).toBeNull()
    expect((await world.call(getIssue, ada, { repo, number })).issue.labels).toEqual(['bug'])
    expect(await refusal(world.call(deleteLabel, ada, { repo, label: 'security' }))).toMatchObject({
      status: 404,
    })
  })
})
