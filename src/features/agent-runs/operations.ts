export { answerAgent } from './answer-agent.ts'
export { resumeAgent } from './resume-agent.ts'
