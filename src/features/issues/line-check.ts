/**
 * Comments on a line of a change need to know the change, which belongs to the pull requests, a
 * feature built upon this one. So the question is an operation with a name of its own, asked by
 * that name: `pulls` answers it with `lineCheck(handler)` among its operations. Neither a route nor
 * a tool leads to it.
 */
import { readsRepo, type RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import { call, operation, type Context, type Typed } from '#core/operation.ts'
import type { Hearth } from '#core/hearth.ts'
import { Nullable, OneOf, RecordNumber, RepoPath, Sha, Type, type Static } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'

const NAME = 'check_line_comment'

const Input = Type.Object({
  repo: RepoPath,
  number: RecordNumber,
  path: Type.String(),
  line: Type.Integer(),
  start_line: Nullable(Type.Integer()),
  side: OneOf(['new', 'old']),
})
export type CommentedLine = Static<typeof Input>

const Output = Type.Object({ commit: Sha })

/**
 * Makes the operation that says on which head commit a line comment is made. The handler gives 422
 * with the field `path` or `line` for what is not in the change (3 lines around a hunk are in it).
 */
export const lineCheck = (
  handler: (
    context: Context & { caller: Caller; repo: RepoGrant },
    line: CommentedLine,
  ) => { commit: string } | Promise<{ commit: string }>,
) =>
  operation({
    name: NAME,
    summary: 'Says on which head commit of a pull request a comment on a line would be made.',
    route: null,
    tool: false,
    toolset: 'issues',
    access: readsRepo({ scope: 'issues:write' }),
    input: Input,
    output: Output,
    handler,
  })

/** Asks. Gives 422 for a line that is not in the change. */
export async function checkLine(
  hearth: Hearth,
  caller: Caller,
  line: CommentedLine,
): Promise<{ commit: string }> {
  const check = hearth.operationsByName.get(NAME) as
    | Typed<CommentedLine, Static<typeof Output>>
    | undefined
  if (!check) throw invalid('path', 'lines of a change cannot be commented on here')
  return call(hearth, check, caller, line)
}
