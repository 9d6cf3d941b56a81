export { askQuestion } from './ask-question.ts'
export { getQuestion } from './get-question.ts'
export { listQuestions } from './list-questions.ts'
export { deleteQuestion } from './delete-question.ts'
