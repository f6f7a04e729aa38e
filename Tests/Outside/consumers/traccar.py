"""Traccar's own decoder of OwnTracks messages, run without the rest of Traccar.

HOMEWARD_TRACCAR names a folder with Traccar's source (a checkout of it). Its decoder and its Position are compiled as
they are; what they need of Netty, Jackson and Jakarta's JSON is stood in for by the few lines below.
"""
import os
import shutil
import subprocess
import tempfile

SOURCE = os.environ.get("HOMEWARD_TRACCAR", "")
ROOT = "src/main/java/org/traccar"
# The decoder, and what it fills in.
AS_THEY_ARE = [
    "protocol/OwnTracksProtocolDecoder", "helper/UnitsConverter", "model/Position", "model/Message", "model/ExtendedModel",
    "model/BaseModel", "model/AttributeMap", "storage/QueryIgnore", "storage/StorageName",
]

STANDS_IN = {
    "io.netty.channel.Channel": "public interface Channel {}",
    "io.netty.buffer.ByteBuf": "public interface ByteBuf { String toString(java.nio.charset.Charset set); }",
    "io.netty.handler.codec.http.FullHttpRequest": "public interface FullHttpRequest { io.netty.buffer.ByteBuf content(); }",
    "io.netty.handler.codec.http.HttpResponseStatus": "public enum HttpResponseStatus { OK, BAD_REQUEST }",
    "com.fasterxml.jackson.annotation.JsonIgnore": "public @interface JsonIgnore {}",
    "com.fasterxml.jackson.databind.annotation.JsonDeserialize":
        "public @interface JsonDeserialize { Class<?> as() default Void.class; }",
    "org.traccar.model.Network": "public class Network {}",
    "org.traccar.Protocol": "public interface Protocol {}",
    "org.traccar.session.DeviceSession": "public class DeviceSession { public long getDeviceId() { return 1; } }",
    "org.traccar.BaseHttpProtocolDecoder": """
import io.netty.channel.Channel;
import org.traccar.session.DeviceSession;
public abstract class BaseHttpProtocolDecoder {
  public BaseHttpProtocolDecoder(Protocol protocol) {}
  public String getProtocolName() { return "owntracks"; }
  public DeviceSession getDeviceSession(Channel channel, java.net.SocketAddress from, String... ids) {
    return new DeviceSession();
  }
  public void sendResponse(Channel channel, io.netty.handler.codec.http.HttpResponseStatus status) {}
  protected abstract Object decode(Channel channel, java.net.SocketAddress from, Object message) throws Exception;
}""",
    "jakarta.json.JsonNumber": """
public class JsonNumber {
  private final double number;
  JsonNumber(double number) { this.number = number; }
  public double doubleValue() { return number; }
  public long longValue() { return (long) number; }
  public int intValue() { return (int) number; }
}""",
    # As the real one: a value of another type than the one that is asked for is an error.
    "jakarta.json.JsonObject": """
import java.util.HashMap;
public class JsonObject extends HashMap<String, Object> {
  public boolean containsKey(String key) { return super.containsKey(key); }
  public String getString(String key) { return (String) get(key); }
  public JsonNumber getJsonNumber(String key) { return (JsonNumber) get(key); }
  public int getInt(String key) { return getJsonNumber(key).intValue(); }
  public int getInt(String key, int other) { return get(key) instanceof JsonNumber n ? n.intValue() : other; }
  public boolean getBoolean(String key) { return (Boolean) get(key); }
}""",
    # Of a message of ours: a flat object, but for lists and objects that the decoder does not ask for.
    "jakarta.json.Json": """
import java.util.regex.*;
public class Json {
  public interface Reader { JsonObject readObject(); }
  private static final Pattern MEMBER = Pattern.compile(
      "\\"((?:[^\\"\\\\\\\\]|\\\\\\\\.)*)\\":(\\"(?:[^\\"\\\\\\\\]|\\\\\\\\.)*\\"|\\\\[[^\\\\]]*\\\\]|\\\\{[^}]*\\\\}|[^,}]+)");
  public static Reader createReader(java.io.Reader from) {
    return () -> {
      JsonObject object = new JsonObject();
      Matcher member = MEMBER.matcher(new java.util.Scanner(from).useDelimiter("\\\\A").next());
      while (member.find()) {
        String value = member.group(2);
        if (value.startsWith("\\"")) object.put(member.group(1), value.substring(1, value.length() - 1));
        else if (value.equals("true") || value.equals("false")) object.put(member.group(1), value.equals("true"));
        else if (!value.startsWith("[") && !value.startsWith("{"))
          object.put(member.group(1), new JsonNumber(Double.parseDouble(value)));
      }
      return object;
    };
  }
}""",
    "org.traccar.protocol.Read": """
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpRequest;
import org.traccar.model.Position;
public class Read {
  public static void main(String[] words) throws Exception {
    java.io.BufferedReader lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, "UTF-8"));
    OwnTracksProtocolDecoder decoder = new OwnTracksProtocolDecoder(null);
    for (String line; (line = lines.readLine()) != null; ) {
      String text = line;
      ByteBuf bytes = new ByteBuf() { public String toString(java.nio.charset.Charset set) { return text; } };
      Position position = (Position) decoder.decode(null, null, (FullHttpRequest) () -> bytes);
      System.out.println(position == null ? "" : position.getFixTime().getTime() / 1000 + "\\t" + position.getAttributes());
    }
  }
}""",
}


class Decoder:
    """Compiled once; `missing` says why it cannot be."""

    def __init__(self):
        self.folder, self.missing = None, None
        if shutil.which("javac") is None or shutil.which("java") is None:
            self.missing = "there is no javac"
        elif not all(os.path.exists(os.path.join(SOURCE, ROOT, name + ".java")) for name in AS_THEY_ARE):
            self.missing = "HOMEWARD_TRACCAR names no source of Traccar"
        else:
            self._compile()

    def _compile(self):
        self.folder = tempfile.mkdtemp(prefix="hw-traccar-")
        ours = os.path.join(self.folder, "ours")
        for name, text in STANDS_IN.items():
            package, _, plain = name.rpartition(".")
            path = os.path.join(ours, *package.split("."))
            os.makedirs(path, exist_ok=True)
            with open(os.path.join(path, plain + ".java"), "w", encoding="utf-8") as file:
                file.write("package %s;\n%s\n" % (package, text))
        # By themselves: beside the rest of Traccar each would draw in more of it.
        for name in AS_THEY_ARE:
            os.makedirs(os.path.join(ours, "org/traccar", os.path.dirname(name)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, ROOT, name + ".java"), os.path.join(ours, "org/traccar", name + ".java"))
        done = subprocess.run(
            ["javac", "-nowarn", "-d", os.path.join(self.folder, "classes"), "-sourcepath", ours,
             os.path.join(ours, "org/traccar/protocol/Read.java")], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("Traccar's decoder does not compile:\n" + done.stderr)

    def read(self, payloads):
        """Of each message what it says to Traccar: {attribute: text}."""
        done = subprocess.run(
            ["java", "-cp", os.path.join(self.folder, "classes"), "org.traccar.protocol.Read"],
            input="".join(line + "\n" for line in payloads), capture_output=True, text=True, check=True)
        found = []
        for line in done.stdout.splitlines():
            _, _, attributes = line.partition("\t")
            pairs = attributes.strip("{}").split(", ") if attributes.strip("{}") else []
            found.append(dict(pair.split("=", 1) for pair in pairs))
        return found

    def close(self):
        if self.folder:
            shutil.rmtree(self.folder, True)
