import { getPriority, setPriority } from 'node:os';
import { answerTask } from './answer-task.ts';

/** On one core the main thread and PostgreSQL, which serve everybody, have ten times as much of it (nice(2)). */
const NICE_INCREMENT = 10;
const NICEST = 19;

// Of this thread alone, on Linux. It has loaded before, as fast as it can, since its first job waits for that.
setPriority(Math.min(NICEST, getPriority() + NICE_INCREMENT));

export default answerTask;
