/** Runs a step of an import. Its cursor moves in the transaction that writes the last item of a page. */
import { writeAs, type Tx } from '#core/write.ts'
import { requireRepo } from '#features/repos/index.ts'
import { ImportEnded } from '../create-fetched-refs.ts'
import { ForgeError } from '../forges/forge-client.ts'
import { addErrors, findImport, noteProgress } from '../store.ts'
import { findStep, isStepDone, setStep } from '../store-steps.ts'
import type { ListStep, StepContext } from './context.ts'

/** More items in one transaction would block other writers. */
const ITEMS_PER_TRANSACTION = 20

/** Of 50 to 100 items each. A list that leads on and on would keep the import busy for ever. */
const MAX_PAGES = 50_000

/** The cursor of a step whose last page was placed, and which the process may not have marked as done. */
const END = 'end'

/** Throws `ImportEnded` when the import or its repository ended meanwhile. */
export function requireRunning(tx: Tx, { row, repo }: Pick<StepContext, 'row' | 'repo'>): void {
  if (findImport(tx.db, row.id)?.state !== 'running') throw new ImportEnded('the import was ended')
  if (requireRepo(tx.db, repo.id).deleted_at !== null)
    throw new ImportEnded('the repository was deleted')
}

/** Changes something for a running import, in one transaction. */
export const writeForImport = <T>(
  context: Pick<StepContext, 'hearth' | 'row' | 'repo'>,
  run: (tx: Tx) => T extends PromiseLike<unknown> ? never : T,
): Promise<T> =>
  writeAs<T>(context.hearth, null, (tx) => {
    requireRunning(tx, context)
    return run(tx)
  })

export async function runStep<T, Ready>(
  context: StepContext,
  step: ListStep<T, Ready>,
): Promise<void> {
  const { hearth, row } = context
  const before = findStep(hearth.db, row.id, step.name)
  if (!before || isStepDone(before)) return
  let { cursor, done } = before
  await writeForImport(context, (tx) => setStep(tx, row.id, step.name, { state: 'running' }))
  for (let pages = 1; cursor !== END; pages++) {
    const page = await step.read(context, cursor)
    const next = page.next ?? END
    if (pages > MAX_PAGES || next === cursor)
      throw new ForgeError('the list of the other forge does not end', 200)
    done += page.items.length
    await placePage(context, step, page.items, (tx) => {
      noteProgress(tx, row.id)
      setStep(tx, row.id, step.name, {
        cursor: next,
        done,
        total: Math.max(done, page.total ?? 0),
      })
    })
    cursor = next
  }
  await writeForImport(context, (tx) => {
    const problems = findStep(tx.db, row.id, step.name)?.state === 'done_with_errors'
    setStep(tx, row.id, step.name, { state: problems ? 'done_with_errors' : 'done', total: done })
  })
}

async function placePage<T, Ready>(
  context: StepContext,
  step: ListStep<T, Ready>,
  items: readonly T[],
  finish: (tx: Tx) => void,
): Promise<void> {
  const size = step.batch ?? ITEMS_PER_TRANSACTION
  for (let at = 0; at === 0 || at < items.length; at += size) {
    const ready: Ready[] = []
    for (const item of items.slice(at, at + size))
      ready.push(step.prepare ? await step.prepare(context, item) : (item as unknown as Ready))
    const isLast = at + size >= items.length
    await writeForImport(context, (tx) => {
      const problems = ready.map((item) => step.place(tx, context, item))
      addErrors(
        tx,
        context.row.id,
        problems.filter((problem) => problem !== null),
      )
      if (isLast) finish(tx)
    })
  }
}
