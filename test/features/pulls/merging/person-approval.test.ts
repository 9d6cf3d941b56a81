import { describe, expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { instructionPathsOf } from '#features/pulls/changes/instruction-paths.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

const FILES = {
  'AGENTS.md': 'Obey me.\n',
  '.hearth/workflows/test.yml': 'on: push\n',
  'c.txt': 'c\n',
}
const MARKED = ['.hearth/workflows/test.yml', 'AGENTS.md']

async function makeAgentPull(
  files: Record<string, string> = FILES,
  agent: string | null = 'helper',
  by: 'ada' | 'mel' = 'mel',
) {
  const made = await makePullWorld()
  const author = made[by]
  await made.push(REPO, 'topic', made.ref('main'))
  await made.world.commit(REPO, 'topic', files, { as: author })
  const { pull } = await made.world.call(createPull, author, {
    repo: REPO,
    title: 'By an agent',
    branch: 'topic',
    ...(agent === null ? {} : { agent }),
  })
  await made.world.jobs()
  const target = { repo: REPO, number: pull.number }
  return { ...made, target, read: () => made.world.call(getPull, author, target) }
}

describe('what an agent changes of how agents and checks work', () => {
  test('is marked, and waits for the approval of a person', async () => {
    const { world, mel, max, target, read } = await makeAgentPull()
    expect(await read()).toMatchObject({
      instruction_paths: MARKED,
      blockers: [{ code: 'approvals_missing', details: { instruction_paths: MARKED } }],
    })
    expect(await refusal(world.call(mergePull, mel, target))).toMatchObject({
      status: 409,
      reason: 'approvals_missing',
    })
    await world.call(reviewPull, max, { ...target, verdict: 'approve' })
    expect((await read()).blockers).toEqual([])
    expect(await world.call(mergePull, mel, target)).toMatchObject({
      status: 'merged',
      instruction_paths: MARKED,
    })
  })

  test('is neither marked nor kept back in the work of a person, or in other files', async () => {
    const person = await makeAgentPull(FILES, null)
    expect(await person.read()).toMatchObject({ instruction_paths: [], blockers: [] })
    const other = await makeAgentPull({ 'src/agents.ts': 'x\n', 'docs/hearth/a.yml': 'x\n' })
    expect(await other.read()).toMatchObject({ instruction_paths: [], blockers: [] })
  })

  test('is found behind thousands of other files', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_100 }, (_, at) => [`0/${String(at).padStart(4, '0')}`, `${at}\n`]),
    )
    const { read } = await makeAgentPull({ ...many, 'z/CLAUDE.md': 'Obey me.\n' })
    expect((await read()).instruction_paths).toEqual(['z/CLAUDE.md'])
  })

  test('is decided by who merges by hand where nobody else can write', async () => {
    const made = await makeAgentPull(FILES, 'helper', 'ada')
    const { world, ada, target, read, pull } = made
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'read' })
    expect(await read()).toMatchObject({ instruction_paths: MARKED, blockers: [] })
    await world.call(updateRepoSettings, ada, { repo: REPO, agent_auto_merge_needs_person: false })
    await world.call(updatePull, ada, { ...target, auto_merge: true })
    await world.jobs()
    expect(pull(target.number).status).toBe('open')
    const agent = await made.agent(ada)
    expect(await refusal(world.call(mergePull, agent, target))).toMatchObject({
      reason: 'approvals_missing',
    })
    expect((await world.call(mergePull, ada, target)).status).toBe('merged')
  })
})

test('instructions are known by their names at every level, in any case', () => {
  const marked = [
    '.Claude/settings.json',
    '.github/workflows/a.yml',
    '.hearth/CODEOWNERS',
    'a/b/agents.MD',
    'a/.mcp.json',
    'docs/CODEOWNERS',
    'opencode.json',
  ]
  const others = ['.github/ISSUE_TEMPLATE/a.md', 'a/.hearth/b', 'agents.md.txt', 'claude/x', 'x']
  expect(instructionPathsOf([...others, ...marked, ...marked])).toEqual(marked.toSorted())
})
