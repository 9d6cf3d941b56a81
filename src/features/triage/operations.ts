export { decideTriageProposal } from './decide-triage-proposal.ts'
export { getIssueTriage } from './get-issue-triage.ts'
export { triageIssue } from './triage-issue.ts'
