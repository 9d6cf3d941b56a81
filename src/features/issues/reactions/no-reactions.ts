import { REACTIONS, type ReactionCounts } from '../schema.ts'

/** Counts of something that nobody reacted to. */
export const noReactions = (): ReactionCounts =>
  Object.fromEntries(REACTIONS.map((content) => [content, 0])) as ReactionCounts
