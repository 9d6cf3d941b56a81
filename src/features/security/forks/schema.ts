/** Records of the private forks of advisories. */
import { Actor, Id, ListOf, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'

export const FORK_STATES = ['preparing', 'ready', 'closed'] as const

export const ForkBranch = Type.Object({
  name: Type.String(),
  sha: Sha,
  title: Type.String({ description: 'The first line of its last commit.' }),
  ahead: Type.Integer({ description: 'Commits that the base branch lacks.' }),
  behind: Type.Integer({ description: 'Commits of the base branch that it lacks.' }),
  updated_at: Time,
})
export type ForkBranch = Static<typeof ForkBranch>

export const AdvisoryFork = Type.Object(
  {
    advisory_id: Id('adv'),
    repo: Type.String(),
    full_name: Type.String({ description: 'Its path below the address of the site.' }),
    remote: Type.String({ description: 'The address to clone and push over HTTP.' }),
    ssh_remote: Nullable(Type.String({ description: 'The same over SSH, where that is on.' })),
    state: OneOf(FORK_STATES, {
      description:
        'preparing while the base branch is copied; closed for pushes once the advisory is published.',
    }),
    problem: Nullable(Type.String({ description: 'Why the base branch could not be copied.' })),
    base_branch: Type.String({
      description: 'Follows the default branch of the repository; nobody pushes to it.',
    }),
    base_sha: Nullable(Sha),
    branches: Type.Array(ForkBranch, { description: 'What was pushed, the latest first.' }),
    merged: Nullable(
      Type.Object({ branch: Type.String(), sha: Sha, by: Nullable(Actor), at: Time }),
    ),
    created_by: Nullable(Actor),
    created_at: Time,
    pushed_at: Nullable(Time),
    remove_at: Nullable(Time),
  },
  {
    $id: 'AdvisoryFork',
    description: 'The private fork in which people work on the mend of an advisory.',
  },
)
export type AdvisoryFork = Static<typeof AdvisoryFork>

export const AdvisoryCollaborator = Type.Object(
  { user: Actor, added_by: Nullable(Actor), added_at: Time },
  { $id: 'AdvisoryCollaborator', description: 'A person who is invited to work on an advisory.' },
)
export type AdvisoryCollaborator = Static<typeof AdvisoryCollaborator>
export const AdvisoryCollaborators = ListOf(AdvisoryCollaborator)

export const BranchName = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'A branch of the private fork.',
})
