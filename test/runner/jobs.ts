/** Jobs with several steps behind the walls of `runners.ts`. */
import { afterAll } from 'bun:test'
import type { Limits, Network, RunningJob, StepResult } from '#runner'
import type { Workplace } from '#runner'
import { LIMITS, makeRunner } from './runners.ts'

export async function makeJobs(change: Parameters<typeof makeRunner>[0] = {}) {
  const forge = await makeRunner(change)
  let counter = 0
  const open: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of open) await close()
  })

  return {
    ...forge,
    /** Begins a job in a folder of its own. */
    async begin(
      options: {
        limits?: Partial<Limits>
        network?: Network
        prepare?: (place: Workplace) => Promise<void> | void
      } = {},
    ) {
      const place = await forge.runner.createJobDirectory(`job-${++counter}`)
      await options.prepare?.(place)
      const job: RunningJob = await forge.runner.openJob({
        directory: place,
        name: 'site',
        limits: { ...LIMITS, ...options.limits },
        env: { CI: 'true' },
        ...(options.network === undefined ? {} : { network: options.network }),
      })
      const close = async (): Promise<boolean> => {
        await job.close()
        return forge.runner.removeDirectory(place)
      }
      open.push(close)
      return {
        job,
        place,
        close,
        /** Runs a step and collects its output. */
        async step(
          script: string,
          rest: { signal?: AbortSignal; timeoutMs?: number; onText?: (text: string) => void } = {},
        ): Promise<StepResult & { text: string }> {
          let text = ''
          const result = await job.step({
            script,
            output: (bytes) => {
              const part = Buffer.from(bytes).toString('utf8')
              text += part
              rest.onText?.(text)
            },
            ...(rest.signal ? { signal: rest.signal } : {}),
            ...(rest.timeoutMs === undefined ? {} : { timeoutMs: rest.timeoutMs }),
          })
          return { ...result, text }
        },
      }
    },
  }
}
