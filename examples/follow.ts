// Follow one session from the start or from where it was left; a daemon that is restarted is no end.
//
//   follow.js SESSION [AFTER [DATA_DIR]]      one line per event, until the session is archived or this is stopped
import { Gap } from "thole";
import { local } from "thole/node";

const [session, after, dataDir] = process.argv.slice(2);
if (!session) throw new Error("which session?");
const stream = await local(dataDir).events({ session, ...(after && { after }) });

for (;;) {
  try {
    const { done, value } = await stream.next();
    if (done) break;
    console.log(stream.cursor, value.type);
  } catch (e) {
    if (!(e instanceof Gap)) throw e;
    console.log(`events ${e.body.from} to ${e.body.to} are gone`);
  }
}
