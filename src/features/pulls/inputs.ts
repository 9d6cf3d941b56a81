/** Inputs that several operations of this feature take. */
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'

export const onPull = { repo: RepoPath, number: RecordNumber }

const names = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 120 }), { maxItems: 50, description }),
  )
export const reviewersInput = {
  users: names('Usernames.'),
  teams: names('Slugs of teams of the workspace.'),
  agents: names('Agents at work in the repository, as <username>/<agent name>.'),
}

export const TitleInput = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'What it does, in one line.',
})
export const BodyInput = Type.String({ maxLength: 65_536, description: 'Markdown.' })
export const ShaPrefix = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{7,40}$', description })
