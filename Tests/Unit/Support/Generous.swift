/// How many seconds a test waits for what has to happen in the end. No machine is so busy that it takes longer: only
/// a fault does. A shorter limit would measure the machine, and what measures is no test.
package let generous = 60.0
