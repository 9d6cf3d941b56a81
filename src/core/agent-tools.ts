/**
 * The tool server for agents in boxes, whose connection says who they are. The HTTP server has it,
 * because it has the protocol; the door of a run asks for it.
 */
import type { AgentCaller } from './caller.ts'
import { service } from './service.ts'

export type AgentToolRequest = {
  /** Of its headers, those that speak of the protocol count, and none that says who asks. */
  readonly request: Request
  readonly body: Uint8Array
  readonly caller: AgentCaller
  /** The agent with the rights that it has when it is called; null once it has ended. */
  readonly currentCaller: () => AgentCaller | null
  /** The names of tools that are listed, beside those that find and call all others. */
  readonly listed: readonly string[]
}

export type AnswerAgentTools = (request: AgentToolRequest) => Promise<Response>

/** `answer` is null while no server responds. */
export const agentTools = service('agent tools', (): { answer: AnswerAgentTools | null } => ({
  answer: null,
}))
