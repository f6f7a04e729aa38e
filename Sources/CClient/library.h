// libmosquitto's functions, for both clients of this target.
#pragma once

#include <mosquitto.h>

// Each by the name that it has here and the one that it has there. A 5 at the end: the form for MQTT 5.
#define LIBRARY_FUNCTIONS(function) \
  function(start, mosquitto_lib_init) \
  function(new, mosquitto_new) \
  function(destroy, mosquitto_destroy) \
  function(set_context, mosquitto_user_data_set) \
  function(context, mosquitto_userdata) \
  function(option, mosquitto_int_option) \
  function(user, mosquitto_username_pw_set) \
  function(tls, mosquitto_tls_set) \
  function(tls_options, mosquitto_tls_opts_set) \
  function(tls_insecure, mosquitto_tls_insecure_set) \
  function(connect, mosquitto_connect) \
  function(connect5, mosquitto_connect_bind_v5) \
  function(reconnect, mosquitto_reconnect) \
  function(disconnect, mosquitto_disconnect) \
  function(disconnect5, mosquitto_disconnect_v5) \
  function(subscribe, mosquitto_subscribe) \
  function(subscribe5, mosquitto_subscribe_v5) \
  function(publish, mosquitto_publish) \
  function(publish5, mosquitto_publish_v5) \
  function(socket, mosquitto_socket) \
  function(wants_write, mosquitto_want_write) \
  function(read, mosquitto_loop_read) \
  function(write, mosquitto_loop_write) \
  function(look, mosquitto_loop_misc) \
  function(hold, mosquitto_threaded_set) \
  function(text, mosquitto_strerror) \
  function(refusal, mosquitto_connack_string) \
  function(reason, mosquitto_reason_string) \
  function(on_connect, mosquitto_connect_with_flags_callback_set) \
  function(on_connect5, mosquitto_connect_v5_callback_set) \
  function(on_disconnect, mosquitto_disconnect_callback_set) \
  function(on_disconnect5, mosquitto_disconnect_v5_callback_set) \
  function(on_publish, mosquitto_publish_callback_set) \
  function(on_publish5, mosquitto_publish_v5_callback_set) \
  function(on_subscribe, mosquitto_subscribe_callback_set) \
  function(on_subscribe5, mosquitto_subscribe_v5_callback_set) \
  function(on_message, mosquitto_message_callback_set) \
  function(on_message5, mosquitto_message_v5_callback_set) \
  function(on_log, mosquitto_log_callback_set) \
  function(add_number, mosquitto_property_add_int32) \
  function(free_properties, mosquitto_property_free_all) \
  function(read_byte, mosquitto_property_read_byte) \
  function(read_short, mosquitto_property_read_int16) \
  function(read_number, mosquitto_property_read_int32)

struct cclient_library {
#define LIBRARY_FIELD(here, there) __typeof__(there) *here;
  LIBRARY_FUNCTIONS(LIBRARY_FIELD)
#undef LIBRARY_FIELD
};

/// Complete once `cclient_load` has answered NULL.
extern struct cclient_library cclient_library;

/// NULL: the system's authorities; no certificate of one's own. `is_named`: the certificate has to be for the host.
int cclient_secure(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified, bool is_named);
