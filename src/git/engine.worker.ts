/** A thread of the engine: see `tasks/runner.ts` for what it hears and says. */
import { Engine, type EngineSettings } from './tasks/engine.ts'
import { Runner, type ToRunner } from './tasks/runner.ts'

declare const self: Worker

let runner: Runner | null = null

self.onmessage = (
  event: MessageEvent<{ kind: 'settings'; settings: EngineSettings; others: number } | ToRunner>,
) => {
  const message = event.data
  if (message.kind === 'settings') {
    runner = new Runner(
      new Engine(message.settings),
      (answer) => {
        // Output blocks are the task's own: they move without being copied.
        if (answer.kind === 'output')
          postMessage({ ...answer, chunk: answer.chunk }, [answer.chunk.buffer as ArrayBuffer])
        else postMessage(answer)
      },
      message.others,
    )
  } else runner?.receive(message)
}
