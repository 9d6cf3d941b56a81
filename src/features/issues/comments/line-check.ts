/**
 * A line comment must name a line of the change, which only pull requests can tell, a feature built
 * upon this one. So the check is an operation that is called by its name. The feature pulls
 * implements it with `lineCheck(handler)` among its operations. It has no route and no tool.
 */
import { readsRepo, type RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import { call, operation, type Context, type Typed } from '#core/operation.ts'
import type { Hearth } from '#core/hearth.ts'
import { Nullable, OneOf, RecordNumber, RepoPath, Sha, Type, type Static } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'

const OPERATION_NAME = 'check_line_comment'

const Input = Type.Object({
  repo: RepoPath,
  number: RecordNumber,
  path: Type.String({ maxLength: 4096 }),
  line: Type.Integer(),
  start_line: Nullable(Type.Integer()),
  side: OneOf(['new', 'old']),
})
export type CommentedLine = Static<typeof Input>

const Output = Type.Object({ commit: Sha })

/**
 * Creates the operation that returns the head commit of a line comment. The handler throws 422 with
 * the field `path` or `line` for a line that is not in the change. Lines up to 3 around a hunk are
 * in it.
 */
export const lineCheck = (
  handler: (
    context: Context & { caller: Caller; repo: RepoGrant },
    line: CommentedLine,
  ) => { commit: string } | Promise<{ commit: string }>,
) =>
  operation({
    name: OPERATION_NAME,
    summary: 'Says on which head commit of a pull request a comment on a line would be made.',
    route: null,
    tool: false,
    toolset: 'issues',
    access: readsRepo({ scope: 'issues:write' }),
    input: Input,
    output: Output,
    handler,
  })

/** Runs the check. Throws 422 for a line that is not in the change. */
export async function checkLine(
  hearth: Hearth,
  caller: Caller,
  line: CommentedLine,
): Promise<{ commit: string }> {
  const check = hearth.operationsByName.get(OPERATION_NAME) as
    | Typed<CommentedLine, Static<typeof Output>>
    | undefined
  if (!check) throw invalid('path', 'lines of a change cannot be commented on here')
  return call(hearth, check, caller, line)
}
