export { Client, type ClientOptions, type EventsOptions, type Forms, type ImagePart } from "./client.js";
export { Gap, NoModel, Problem, TholeError, Unreachable } from "./errors.js";
export { EventStream } from "./events.js";
export { Run, type Answer, type OnAction, type Result } from "./run.js";
export { Job, Stopped, work, type Done, type WorkOptions } from "./work.js";
export type * from "./types.js";
