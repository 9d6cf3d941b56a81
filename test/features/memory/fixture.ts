/** A repository with a member who writes, and what they remember there. */
import type { SignedIn } from '#core/caller.ts'
import { recall } from '#features/memory/recall.ts'
import { remember } from '#features/memory/remember.ts'
import { makeAgentWorld, REPO } from '../agents/fixture.ts'

export { REPO }

type Input = Omit<NonNullable<(typeof remember)['__input']>, 'repo'>

export async function makeMemoryWorld() {
  const base = await makeAgentWorld()
  const { world, ada } = base
  const note = (text: string, input: Omit<Input, 'text'> = {}, as: SignedIn = ada) =>
    world.call(remember, as, { repo: REPO, text, ...input })
  const recalled = async (query?: string, as: SignedIn = ada) => {
    const { project, workspace } = await world.call(recall, as, {
      repo: REPO,
      ...(query === undefined ? {} : { query }),
    })
    return {
      project: project.map(({ text }) => text),
      workspace: workspace.map(({ text }) => text),
    }
  }
  /** An agent of ada with a token. */
  const agent = async (input: { pull?: number; name?: string } = {}) => {
    const caller = (await base.start(input)).caller()
    if (!caller) throw new Error('the agent has a token')
    return caller
  }
  return { ...base, note, recalled, agent }
}
