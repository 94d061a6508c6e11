// What the official libraries sign, write, verify and read.
// A line {name, input} gets it.
import { CloudEvent, HTTP } from "cloudevents";
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { answerLines } from "../lib/node_host.mjs";

let input; // of the case that is played

const cases = {
  standard: () => ({ signature: new Webhook(input.secret).sign(input.id, new Date(input.at * 1000), input.body) }),
  verify: () => {
    try {
      return { payload: new Webhook(input.secret).verify(input.body, input.headers) };
    } catch (e) {
      return { error: e.message };
    }
  },
  github: async () => ({ signature: await sign(input.secret, input.body) }),
  binary: () => HTTP.binary(new CloudEvent(input.event)),
  structured: () => HTTP.structured(new CloudEvent(input.event)),
  read: () => {
    const event = HTTP.toEvent({ headers: input.headers, body: input.body });
    event.validate();
    return { id: event.id, type: event.type, source: event.source, data: event.data };
  },
};

await answerLines((asked) => {
  input = asked.input;
  return cases[asked.name]();
});
