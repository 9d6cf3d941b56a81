/** The thread that reads workflow and action files: a hostile one must not block other work. */
import { serveRequests } from '#lib/threads/worker-requests.ts'
import { parseWorkflow, type WorkflowReading } from './parse-workflow.ts'
import { parseAction, type ActionReading } from './read-action.ts'
import type { FileRequest } from './workflow-reader.ts'

serveRequests(({ text, path, kind }: FileRequest): WorkflowReading | ActionReading =>
  kind === 'action' ? parseAction(text, path) : parseWorkflow(text, path),
)
