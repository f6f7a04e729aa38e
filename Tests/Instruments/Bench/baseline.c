/*
 * What the daemon is measured against: a C program of the same libraries that publishes each fix
 * at QoS 1 and keeps nothing. One thread, one poll() over both sockets, the same fields.
 *
 *   baseline GPSD_PORT MQTT_PORT TOPIC [PATTERN]
 *
 * With a pattern it also hears what the apps hear, and so each of its own messages once more.
 */
#include <gps.h>
#include <math.h>
#include <mosquitto.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t ended;
static const char *tracker;

static void end(int number)
{
	(void)number;
	ended = 1;
}

/* Appends one whole number; unknown ones are left out, as OwnTracks wants it. */
static size_t whole(char *out, size_t at, size_t size, const char *key, double value)
{
	if (!isfinite(value))
		return at;
	return at + (size_t)snprintf(out + at, size - at, ",\"%s\":%ld", key, lround(value));
}

static double accuracy(const struct gps_fix_t *fix)
{
	if (isfinite(fix->eph))
		return ceil(fix->eph);
	if (isfinite(fix->epx) && isfinite(fix->epy))
		return ceil(fmax(fix->epx, fix->epy));
	return NAN;
}

static void publish(struct mosquitto *broker, const char *topic, const struct gps_data_t *gps)
{
	const struct gps_fix_t *fix = &gps->fix;
	char text[600];
	size_t at = 0;
	double acc = accuracy(fix);
	static time_t last;

	/* libgps leaves the bits of the last TPV standing while it reads a SKY. */
	if (fix->time.tv_sec == last)
		return;
	if (fix->mode < MODE_2D || !isfinite(fix->latitude) || !isfinite(fix->longitude) || !isfinite(acc))
		return;
	last = fix->time.tv_sec;
	at += (size_t)snprintf(text, sizeof text, "{\"_type\":\"location\"");
	at = whole(text, at, sizeof text, "acc", acc);
	if (fix->mode == MODE_3D)
		at = whole(text, at, sizeof text, "alt", fix->altMSL);
	if (fix->speed >= 0.5)
		at = whole(text, at, sizeof text, "cog", fix->track);
	at += (size_t)snprintf(text + at, sizeof text - at,
		",\"inregions\":[],\"inrids\":[],\"lat\":%.6f,\"lon\":%.6f,\"m\":2,\"tid\":\"%s\",\"tst\":%ld",
		fix->latitude, fix->longitude, tracker, (long)fix->time.tv_sec);
	if (fix->mode == MODE_3D)
		at = whole(text, at, sizeof text, "vac", fix->epv);
	at = whole(text, at, sizeof text, "vel", fix->speed * 3.6);
	at += (size_t)snprintf(text + at, sizeof text - at, "}");
	mosquitto_publish(broker, NULL, topic, (int)at, text, 1, true);
}

static struct mosquitto *join(int port, const char *topic, const char *pattern)
{
	struct mosquitto *broker;
	char will[80];

	mosquitto_lib_init();
	broker = mosquitto_new("baseline", false, NULL);
	if (!broker)
		return NULL;
	mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
	snprintf(will, sizeof will, "{\"_type\":\"lwt\",\"tst\":%ld}", (long)time(NULL));
	mosquitto_will_set(broker, topic, (int)strlen(will), will, 1, false);
	if (mosquitto_connect(broker, "127.0.0.1", port, 60) != MOSQ_ERR_SUCCESS)
		return NULL;
	if (pattern && mosquitto_subscribe(broker, NULL, pattern, 1) != MOSQ_ERR_SUCCESS)
		return NULL;
	return broker;
}

int main(int count, char **words)
{
	struct gps_data_t gps;
	struct mosquitto *broker;
	size_t length;

	if (count != 4 && count != 5) {
		fprintf(stderr, "usage: baseline GPSD_PORT MQTT_PORT TOPIC [PATTERN]\n");
		return 2;
	}
	length = strlen(words[3]);
	tracker = length > 2 ? words[3] + length - 2 : words[3];
	signal(SIGTERM, end);
	signal(SIGINT, end);
	broker = join(atoi(words[2]), words[3], words[4]);
	if (!broker) {
		fprintf(stderr, "baseline: no broker on port %s\n", words[2]);
		return 1;
	}
	if (gps_open("127.0.0.1", words[1], &gps) != 0) {
		fprintf(stderr, "baseline: no gpsd on port %s\n", words[1]);
		return 1;
	}
	gps_stream(&gps, WATCH_ENABLE | WATCH_JSON, NULL);
	while (!ended) {
		struct pollfd ready[2] = {
			{ .fd = gps.gps_fd, .events = POLLIN },
			{ .fd = mosquitto_socket(broker),
			  .events = POLLIN | (mosquitto_want_write(broker) ? POLLOUT : 0) },
		};
		int found = poll(ready, 2, 5000);

		if (found < 0)
			continue;
		if (ready[0].revents)
			do {
				if (gps_read(&gps, NULL, 0) < 0)
					ended = 1;
				else if ((gps.set & MODE_SET) && (gps.set & TIME_SET) && (gps.set & LATLON_SET))
					publish(broker, words[3], &gps);
			} while (!ended && gps_waiting(&gps, 0));
		if (ready[1].revents & POLLIN && mosquitto_loop_read(broker, 1) != MOSQ_ERR_SUCCESS)
			ended = 1;
		if (mosquitto_want_write(broker))
			mosquitto_loop_write(broker, 1);
		if (mosquitto_loop_misc(broker) != MOSQ_ERR_SUCCESS)
			ended = 1;
	}
	gps_stream(&gps, WATCH_DISABLE, NULL);
	gps_close(&gps);
	mosquitto_disconnect(broker);
	while (mosquitto_want_write(broker) && mosquitto_loop_write(broker, 1) == MOSQ_ERR_SUCCESS)
		;
	mosquitto_destroy(broker);
	mosquitto_lib_cleanup();
	return 0;
}
